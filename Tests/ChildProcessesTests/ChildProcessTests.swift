// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChildProcessTests {
    /// Returns a script's standard output.
    private func said(_ script: String, input: ChildProcess.Stream = .none) async throws -> String {
        let output = Pipe()
        let child = try await ChildProcess(
            "/bin/sh", ["-c", script], input: input, output: .handle(output.fileHandleForWriting))
        #expect(try await child.end == .exited(0))
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test("A child has only its standard streams, and no other descriptor")
    func descriptors() async throws {
        // Like the descriptors of some libraries, this one is not close-on-exec.
        let mine = dup(0)
        defer { close(mine) }
        #expect(try await said("exec ls /proc/self/fd").split(separator: "\n") == ["0", "1", "2", "3"])
        #expect(try await said("readlink /proc/self/fd/0") == "/dev/null\n")
    }

    @Test("No signal is blocked or ignored in a child")
    func signals() async throws {
        signal(SIGUSR2, SIG_IGN)
        let masks = try await said("grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2").split(separator: "\n")
        // Check only the 31 signals of POSIX, because the C library uses the next two itself.
        #expect(masks.compactMap { UInt64($0, radix: 16).map { $0 & 0x7FFF_FFFF } } == [0, 0], "\(masks)")
    }

    @Test("A child's end is seen while others that started at the same time keep running")
    func manyAtOnce() async throws {
        let rounds = 20
        try await withThrowingTaskGroup { group in
            for _ in 0..<rounds {
                group.addTask {
                    let input = Pipe()
                    let goesOn = try await ChildProcess("/bin/cat", input: .handle(input.fileHandleForReading))
                    let short = Pipe()
                    let reader = try await ChildProcess("/bin/cat", input: .handle(short.fileHandleForReading))
                    try short.fileHandleForWriting.close()
                    #expect(try await reader.end == .exited(0))
                    try input.fileHandleForWriting.close()
                    #expect(try await goesOn.end == .exited(0))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("The end of a child is reported", arguments: [("exit 3", 3), ("kill -9 $$", 137)])
    func ends(script: String, status: Int32) async throws {
        let end = try await ChildProcess("/bin/sh", ["-c", script]).end
        #expect(end == (status < 128 ? .exited(status) : .killed(SIGKILL)))
        #expect(end.status == status)
    }

    @Test("A signal ends a child, and no signal is sent after its end")
    func signalIsSent() async throws {
        let child = try await ChildProcess("/bin/sleep", ["1000"])
        #expect(child.send(SIGTERM))
        #expect(try await child.end == .killed(SIGTERM))
        #expect(!child.send(SIGTERM))
    }

    @Test(
        "Ending a child's group ends its descendants, even if they ignore SIGTERM or the child has ended",
        arguments: ["sleep 1000", "trap '' TERM; sleep 1000", "exit", "trap '' TERM; exit"], [false, true])
    func endOfTheGroup(last: String, isCancelled: Bool) async throws {
        let output = Pipe()
        // The child of the child holds the pipe open until it ends.
        let ignore = last.hasPrefix("trap") ? "trap '' TERM; " : ""
        let child = try await ChildProcess(
            "/bin/sh", ["-c", "\(ignore)sleep 1000 & echo started; \(last)"],
            output: .handle(output.fileHandleForWriting))
        #expect(try output.fileHandleForReading.read(upToCount: 8) == Data("started\n".utf8))
        if last.hasSuffix("exit") { #expect(try await child.end == .exited(0)) }
        let (began, patience) = (ContinuousClock.now, Duration.milliseconds(200))
        let ending = Task { await child.endGroup(within: patience) }
        if isCancelled { ending.cancel() }
        await ending.value
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
        if last.hasPrefix("trap") { #expect(ContinuousClock.now - began >= patience) }
        _ = try await child.end
    }

    @Test("A child has the given environment and directory, or those of this process")
    func surroundings() async throws {
        let output = Pipe()
        let child = try await ChildProcess(
            "/usr/bin/env", ["sh", "-c", "pwd; env"], environment: .only(["PATH": "/usr/bin:/bin", "NAME": "a=b é"]),
            directory: "/usr", output: .handle(output.fileHandleForWriting))
        #expect(try await child.end == .exited(0))
        let lines = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.first == "/usr" && lines.contains("NAME=a=b é") && !lines.contains { $0.hasPrefix("HOME=") })
        #expect(try await said("echo $PATH") == (ProcessInfo.processInfo.environment["PATH"] ?? "") + "\n")
    }

    @Test("A terminal's signals to this program do not reach a child")
    func processGroup() async throws {
        let input = Pipe()
        let child = try await ChildProcess("/bin/cat", input: .handle(input.fileHandleForReading))
        #expect(getpgid(child.processIdentifier) == child.processIdentifier)
        try input.fileHandleForWriting.close()
        #expect(try await child.end == .exited(0))
    }

    @Test("Cancelling a wait for a child does not affect it, nor does cancelling its start")
    func cancellation() async throws {
        let input = Pipe()
        let child = try await ChildProcess("/bin/cat", input: .handle(input.fileHandleForReading))
        let waiting = Task { try await child.end }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let starting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ChildProcess("/bin/true")
        }
        let started = try await starting.value
        #expect(try await started.end == .exited(0))
        #expect(child.send(0))
        try input.fileHandleForWriting.close()
        #expect(try await child.end == .exited(0))
    }

    @Test(
        "A failed start throws an error, and the caller keeps the streams",
        arguments: [("/nonexistent/program", "/"), ("/etc/passwd", "/"), ("/bin/true", "/nonexistent")])
    func startFails(program: String, directory: String) async throws {
        let output = Pipe()
        await #expect(throws: (any Error).self) {
            try await ChildProcess(program, directory: directory, output: .handle(output.fileHandleForWriting))
        }
        try output.fileHandleForWriting.write(contentsOf: Data("x".utf8))
    }
}
