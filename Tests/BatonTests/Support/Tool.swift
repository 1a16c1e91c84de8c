// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import ChildProcesses
import Foundation
import Glibc

/// A run of the `baton` that was built with these tests.
final class Tool: Sendable {
    /// The output and the status of a run that has ended.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var error: String

        /// Whether the run failed with one line on standard error.
        var failedInOneLine: Bool {
            status != 0 && error.hasPrefix("baton: ") && error.hasSuffix("\n")
                && error.dropLast().contains("\n") == false
        }
    }

    /// The tool's lines on standard output, as they arrive.
    let lines: AsyncStream<String>
    /// The tool's lines on standard error.
    let errors: AsyncStream<String>
    let bus: PrivateBus
    private let process: ChildProcess
    private let ended: Task<Result, Never>

    /// Starts the tool on a bus.
    convenience init(on bus: PrivateBus, _ arguments: [String], input: String? = nil) async throws {
        try await self.init(on: bus, program: Sandbox.built("baton"), arguments, input: input)
    }

    /// Starts the tool with a terminal as its standard input, on which a text was typed.
    convenience init(on bus: PrivateBus, _ arguments: [String], typed: String) async throws {
        let terminal = FileHandle(
            fileDescriptor: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTN of Linux's asm-generic/ioctls.h, which Swift does not import.
        var (isLocked, number) = (Int32(0), UInt32(0))
        guard ioctl(terminal.fileDescriptor, 0x4004_5431, &isLocked) == 0,
            ioctl(terminal.fileDescriptor, 0x8004_5430, &number) == 0
        else { throw BatonError(.failed, appMessage: "there is no terminal") }
        let end = FileHandle(
            fileDescriptor: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
        try terminal.write(contentsOf: Data(typed.utf8))
        try await self.init(on: bus, program: Sandbox.built("baton"), arguments, input: nil, terminal: (terminal, end))
    }

    /// Starts a script of `sh` that runs the tool as `baton`.
    convenience init(on bus: PrivateBus, script: String, input: String? = nil) async throws {
        let tool = #"baton() { "$0" "$@"; }; "#
        try await self.init(on: bus, program: "/bin/sh", ["-c", tool + script, Sandbox.built("baton")], input: input)
    }

    private init(
        on bus: PrivateBus, program: String, _ arguments: [String], input: String?,
        terminal: (this: FileHandle, its: FileHandle)? = nil
    ) async throws {
        self.bus = bus
        let (typed, output, error) = (Pipe(), Pipe(), Pipe())
        process = try await ChildProcess(
            program, arguments,
            environment: .only(["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"]),
            input: terminal.map { .handle($0.its) } ?? (input == nil ? .none : .handle(typed.fileHandleForReading)),
            output: .handle(output.fileHandleForWriting), error: .handle(error.fileHandleForWriting))
        if let input { try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try typed.fileHandleForWriting.close()
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let outputText = Self.read(output.fileHandleForReading, lines: sink)
        let (errors, errorSink) = AsyncStream.makeStream(of: String.self)
        self.errors = errors
        let errorText = Self.read(error.fileHandleForReading, lines: errorSink)
        ended = Task { [process] in
            let status = (try? await process.end.status) ?? -1
            withExtendedLifetime(terminal) {}
            return Result(status: status, output: await outputText.value, error: await errorText.value)
        }
    }

    /// The result, once the run has ended.
    var result: Result { get async { await ended.value } }

    /// Runs the tool to its end.
    static func run(on bus: PrivateBus, _ arguments: [String], input: String? = nil) async throws -> Result {
        try await Tool(on: bus, arguments, input: input).result
    }

    /// Runs a script to its end.
    static func run(on bus: PrivateBus, script: String, input: String? = nil) async throws -> Result {
        try await Tool(on: bus, script: script, input: input).result
    }

    func interrupt() { process.send(SIGINT) }

    private static func read(
        _ handle: FileHandle, lines: AsyncStream<String>.Continuation
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
                    lines.yield(String(decoding: rest[..<newline], as: UTF8.self))
                    rest.removeSubrange(...newline)
                }
            }
            lines.finish()
            withExtendedLifetime(handle) {}
            return String(decoding: all, as: UTF8.self)
        }
    }
}

/// Runs a closure with a temporary directory, which is removed afterwards.
