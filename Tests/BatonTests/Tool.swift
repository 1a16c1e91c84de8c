// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import ChildProcesses
import Foundation
import Glibc

/// A run of the `baton` that was built with these tests.
final class Tool: Sendable {
    /// What a run that has ended left.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var error: String

        /// Whether it failed with one line on standard error.
        var failedInOneLine: Bool {
            status != 0 && error.hasPrefix("baton: ") && error.hasSuffix("\n")
                && error.dropLast().contains("\n") == false
        }
    }

    /// Its lines on standard output, as they come.
    let lines: AsyncStream<String>
    private let process: ChildProcess
    private let ended: Task<Result, Never>

    /// Starts it on a bus.
    init(on bus: PrivateBus, _ arguments: [String], input: String? = nil) async throws {
        let (typed, output, error) = (Pipe(), Pipe(), Pipe())
        process = try await ChildProcess(
            Sandbox.built("baton"), arguments,
            environment: .only(["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"]),
            input: input == nil ? .none : .handle(typed.fileHandleForReading),
            output: .handle(output.fileHandleForWriting), error: .handle(error.fileHandleForWriting))
        if let input { try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try typed.fileHandleForWriting.close()
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let outputText = Self.read(output.fileHandleForReading, lines: sink)
        let errorText = Self.read(error.fileHandleForReading, lines: nil)
        ended = Task { [process] in
            let status = (try? await process.end.status) ?? -1
            return Result(status: status, output: await outputText.value, error: await errorText.value)
        }
    }

    /// What it left, once it has ended.
    var result: Result { get async { await ended.value } }

    /// Runs it to its end.
    static func run(on bus: PrivateBus, _ arguments: [String], input: String? = nil) async throws -> Result {
        try await Tool(on: bus, arguments, input: input).result
    }

    func interrupt() { process.send(SIGINT) }

    private static func read(
        _ handle: FileHandle, lines: AsyncStream<String>.Continuation?
    ) -> Task<String, Never> {
        let (chunks, sink) = AsyncStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Glibc.read(handle.fileDescriptor, &buffer, buffer.count), count > 0 {
                sink.yield(Array(buffer[..<count]))
            }
            sink.finish()
        }
        return Task {
            var all: [UInt8] = []
            var rest: [UInt8] = []
            for await chunk in chunks {
                all += chunk
                rest += chunk
                while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines?.yield(String(decoding: rest[..<newline], as: UTF8.self))
                    rest.removeSubrange(...newline)
                }
            }
            lines?.finish()
            withExtendedLifetime(handle) {}
            return String(decoding: all, as: UTF8.self)
        }
    }
}

/// A directory of a test's own, gone at its end.
func withDirectory(_ body: @Sendable (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}
