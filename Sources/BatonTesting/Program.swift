// SPDX-License-Identifier: Apache-2.0

internal import ChildProcesses
internal import Foundation
internal import Glibc
internal import Synchronization

/// A running program of this package, which was built with the tests.
public final class Program: Sendable {
    /// The error of a program that did not do what the test expected.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, with the program's output.
        public let description: String
        init(_ description: String) { self.description = description }
    }

    private let process: ChildProcess
    private let input: FileHandle
    private let lines: Mutex<Lines>
    private let name: String

    private struct Lines {
        var seen: [String] = []
        /// The last lines of the output, for error messages.
        var last: [String] = []
        var hasEnded = false
        var isGivenUp = false
        var waiting: (match: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)?

        mutating func add(_ line: String) {
            seen.append(line)
            last = last.suffix(99) + [line]
        }

        /// If the awaited line has arrived, removes all lines up to and including that line, and
        /// returns the waiting continuation and the line.
        mutating func take() -> (CheckedContinuation<String?, Never>, String?)? {
            guard let waiting else { return nil }
            // A line that reports an error ends the wait too.
            if let index = seen.firstIndex(where: { waiting.match($0) || $0.hasPrefix("error:") }) {
                let line = seen[index]
                seen.removeSubrange(...index)
                self.waiting = nil
                return (waiting.continuation, line)
            }
            guard hasEnded || isGivenUp else { return nil }
            self.waiting = nil
            return (waiting.continuation, nil)
        }
    }

    /// Starts a program on a session bus. Its standard output and standard error are read as one
    /// stream.
    ///
    /// - Parameter environment: The variables to set besides those for the bus, `PATH` and the
    ///   bus's home directory.
    public init(
        _ name: String, _ arguments: [String] = [], bus: String, environment: [String: String] = [:]
    ) async throws {
        self.name = name
        let (input, output) = (Pipe(), Pipe())
        process = try await ChildProcess(
            Sandbox.built(name), arguments,
            environment: .only(
                [
                    "DBUS_SESSION_BUS_ADDRESS": bus, "PATH": "/usr/bin:/bin",
                    "HOME": PrivateBus.home(of: bus).path,
                ].merging(environment) { $1 }),
            input: .handle(input.fileHandleForReading), output: .handle(output.fileHandleForWriting),
            error: .handle(output.fileHandleForWriting))
        self.input = input.fileHandleForWriting
        lines = Mutex(Lines())
        let handle = output.fileHandleForReading
        Thread.detachNewThread { self.read(handle) }
    }

    /// Writes a line to the program's standard input.
    public func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Returns the next line that satisfies a condition, and skips the lines before it. Throws if
    /// the program prints an error.
    @discardableResult
    public func line(_ what: String, _ match: @escaping @Sendable (String) -> Bool) async throws -> String {
        let found = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
                let ready = lines.withLock { lines in
                    lines.waiting = (match, continuation)
                    return lines.take()
                }
                if let (continuation, line) = ready { continuation.resume(returning: line) }
            }
        } onCancel: {
            // End the wait when the test is cancelled.
            let waiting = lines.withLock { lines in
                lines.isGivenUp = true
                return lines.take()
            }
            waiting?.0.resume(returning: nil)
        }
        guard let found else { throw Failure("\(name) did not say \(what); it said:\n\(tail)") }
        guard match(found) else { throw Failure("\(name) said, while it should have said \(what): \(found)") }
        return found
    }

    /// Returns the next line that is equal to this text.
    @discardableResult
    public func line(_ text: String) async throws -> String { try await line(text) { $0 == text } }

    /// Terminates the program, and waits until it is gone.
    public func end() async {
        try? input.close()
        process.send(SIGTERM)
        _ = try? await process.end
    }

    /// Runs a program, and waits for it to end.
    public static func run(_ name: String, _ arguments: [String], bus: String) async throws {
        let program = try await Program(name, arguments, bus: bus)
        _ = try? await program.line("its end") { _ in false }
        guard try await program.process.end == .exited(0) else { throw Failure("\(name) \(arguments) failed") }
    }

    /// Kills the program with SIGKILL, as in a crash, and waits until it is gone.
    public func kill() async {
        process.send(SIGKILL)
        _ = try? await process.end
    }

    /// The last hundred lines of the output.
    public var tail: String { lines.withLock { $0.last.joined(separator: "\n") } }

    /// Sends SIGTERM and returns the exit status, or 128 plus the signal that killed the program.
    public func terminate() async throws -> Int32 {
        process.send(SIGTERM)
        return try await process.end.status
    }

    private func read(_ handle: FileHandle) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(handle.fileDescriptor, &buffer, buffer.count), count > 0 {
            rest += buffer[..<count]
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                add(String(decoding: rest[..<newline], as: UTF8.self))
                rest.removeSubrange(...newline)
            }
        }
        withExtendedLifetime(handle) {}
        add(nil)
    }

    private func add(_ line: String?) {
        let ready = lines.withLock { lines in
            if let line { lines.add(line) } else { lines.hasEnded = true }
            return lines.take()
        }
        if let (continuation, line) = ready { continuation.resume(returning: line) }
    }
}
