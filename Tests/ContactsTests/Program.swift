// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// What did not work.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A running program that was built with these tests.
final class Program: Sendable {
    private let process: Process
    private let input: FileHandle
    private let lines: Mutex<Lines>
    private let name: String

    private struct Lines {
        var seen: [String] = []
        var hasEnded = false
        var waiting: (match: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)?

        /// Takes the first line that is waited for, and all before it.
        mutating func take() -> (CheckedContinuation<String?, Never>, String?)? {
            guard let waiting else { return nil }
            // What fails is not waited for.
            if let index = seen.firstIndex(where: { waiting.match($0) || $0.hasPrefix("error:") }) {
                let line = seen[index]
                seen.removeSubrange(...index)
                self.waiting = nil
                return (waiting.continuation, line)
            }
            guard hasEnded else { return nil }
            self.waiting = nil
            return (waiting.continuation, nil)
        }
    }

    init(_ name: String, _ arguments: [String] = [], bus: String) throws {
        self.name = name
        let process = Process()
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: name)
        process.arguments = arguments
        process.environment = [
            "DBUS_SESSION_BUS_ADDRESS": bus, "PATH": "/usr/bin:/bin",
            "HOME": FileManager.default.temporaryDirectory.path,
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        self.process = process
        self.input = input.fileHandleForWriting
        lines = Mutex(Lines())
        let handle = output.fileHandleForReading
        Thread.detachNewThread { self.read(handle) }
    }

    /// Types a line.
    func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// The next line that satisfies a condition; those before it are passed over. An error that the program tells is thrown.
    @discardableResult
    func line(_ what: String, _ match: @escaping @Sendable (String) -> Bool) async throws -> String {
        let found = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            let ready = lines.withLock { lines in
                lines.waiting = (match, continuation)
                return lines.take()
            }
            if let (continuation, line) = ready { continuation.resume(returning: line) }
        }
        guard let found else { throw Failure("\(name) ended before: \(what)") }
        guard match(found) else { throw Failure("\(name) said, while it should have said \(what): \(found)") }
        return found
    }

    @discardableResult
    func line(_ text: String) async throws -> String { try await line(text) { $0 == text } }

    /// Ends it, and waits until it has gone.
    func end() async {
        try? input.close()
        process.terminate()
        _ = try? await line("its end") { _ in false }
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], bus: String) async throws {
        let program = try Program(name, arguments, bus: bus)
        _ = try? await program.line("its end") { _ in false }
        program.process.waitUntilExit()
        guard program.process.terminationStatus == 0 else { throw Failure("\(name) \(arguments) failed") }
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
            if let line { lines.seen.append(line) } else { lines.hasEnded = true }
            return lines.take()
        }
        if let (continuation, line) = ready { continuation.resume(returning: line) }
    }
}
