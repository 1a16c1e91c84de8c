// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
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
    private let process: Process
    private let ended: Task<Result, Never>

    /// Starts it on a bus.
    init(on bus: PrivateBus, _ arguments: [String], input: String? = nil) throws {
        let process = Process()
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: "baton")
        process.arguments = arguments
        process.environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"]
        let typed = Pipe()
        process.standardInput = input == nil ? FileHandle.nullDevice : typed
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            exit.yield($0.terminationStatus)
            exit.finish()
        }
        try process.runHearingSignals()
        if let input { try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try typed.fileHandleForWriting.close()
        self.process = process
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let outputText = Self.read(output.fileHandleForReading, lines: sink)
        let errorText = Self.read(error.fileHandleForReading, lines: nil)
        ended = Task {
            var status: Int32 = -1
            for await value in exits { status = value }
            return Result(status: status, output: await outputText.value, error: await errorText.value)
        }
    }

    /// What it left, once it has ended.
    var result: Result { get async { await ended.value } }

    /// Runs it to its end.
    static func run(on bus: PrivateBus, _ arguments: [String], input: String? = nil) async throws -> Result {
        try await Tool(on: bus, arguments, input: input).result
    }

    func interrupt() { process.interrupt() }

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
