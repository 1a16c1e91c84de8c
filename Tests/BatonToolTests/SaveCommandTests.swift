// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import baton

/// Tests how `baton publish --save-command` runs the command, and its limits.
@Suite(.timeLimit(.minutes(5))) struct SaveCommandTests {
    private func contents(_ script: String, patience: Duration = .seconds(60)) async throws -> UserInfo {
        try await SaveCommand(ShellCommand(text: script), patience: patience).contents()
    }

    private func failure(_ script: String, patience: Duration = .seconds(60)) async -> String {
        do {
            return "\(try await contents(script, patience: patience))"
        } catch {
            return "\(error)"
        }
    }

    /// Returns the process id that a test's command writes to a file.
    private func number(in file: URL) async throws -> Int32 {
        var number: Int32?
        try await untilFiles(in: file.deletingLastPathComponent(), "a number in \(file.lastPathComponent)") {
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            number = text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
            return number != nil
        }
        return try #require(number)
    }

    /// Runs a command until its time limit ends it. Repeats it with a longer limit until the
    /// command has written a process id.
    private func ended(_ script: String, writing file: URL) async throws -> Int32 {
        var patience = Duration.seconds(1)
        while true {
            #expect(await failure(script, patience: patience).contains("had not ended after \(patience.inSeconds) s"))
            if FileManager.default.fileExists(atPath: file.path) { return try await number(in: file) }
            try Task.checkCancellation()
            patience *= 2
        }
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            try await body(directory.appending(path: "file"))
        }
    }

    @Test("The contents are the typed JSON that the command prints")
    func contentsAreTypedJSON() async throws {
        #expect(try await contents(#"echo '{"n": {"$double": 2}}'"#) == ["n": .double(2)])
        // The command reads nothing, not even the tool's standard input.
        #expect(try await contents(#"read -r line || echo '{"a": "b"}'"#) == ["a": "b"])
    }

    @Test("The error about a failed command gives the reason")
    func failureSaysWhatWasWrong() async {
        #expect(await failure("echo '{}'; exit 3") == "the command ended with status 3")
        #expect(await failure("kill -9 $$") == "the command was ended by signal 9")
        #expect(await failure("echo 1").contains("userInfo is a dictionary"))
        #expect(await failure("echo '{'").contains("is not JSON: line"))
        #expect(await failure("true").contains("is not JSON"))
    }

    @Test("If a command prints too much, nothing is handed over, not even the previous contents")
    func tooMuch() async throws {
        // The command is ended, although by itself it would write or sleep forever.
        #expect(try await contents("exec cat /dev/zero") == SaveCommand.tooLarge)
        #expect(try await contents("head -c 1048577 /dev/zero; exec sleep 1000") == SaveCommand.tooLarge)
    }

    @Test("A command that takes too long is ended with all its descendants")
    func commandTakesTooLong() async throws {
        try await withFile { file in
            try await waitForEnd(
                ofProcess: try await ended(
                    "sleep 1000 & echo $! >'\(file.path)~'; mv '\(file.path)~' '\(file.path)'; wait", writing: file))
        }
        // The shell has ended, but its child still has the output open.
        try await withFile { file in
            try await waitForEnd(
                ofProcess: try await ended(
                    "sleep 1000 & echo $! >'\(file.path)~'; mv '\(file.path)~' '\(file.path)'", writing: file))
        }
        // The command has closed its output but keeps running.
        #expect(await failure("echo '{}'; exec >&-; sleep 1000", patience: .seconds(1)).contains("had not ended"))
    }

    @Test("The tool does not wait for a process that left the process group and keeps the output open")
    func escapedProcess() async throws {
        try await withFile { file in
            let escaped = "echo $$ >\(file.path)~; mv \(file.path)~ \(file.path); exec sleep 1000"
            kill(try await ended("setsid sh -c '\(escaped)' & sleep 1000", writing: file), SIGKILL)
        }
    }

    @Test("Processes that the command leaves behind are ended")
    func whatItLeavesBehindEndsWithIt() async throws {
        try await withFile { file in
            #expect(try await contents("sleep 1000 >&- & echo $! >'\(file.path)'; echo '{}'") == [:])
            try await waitForEnd(ofProcess: try await number(in: file))
        }
    }

    @Test("Stopping a save command ends the running command and starts none")
    func stoppedSaveCommand() async throws {
        try await withFile { file in
            let save = SaveCommand(
                ShellCommand(text: "echo $$ >'\(file.path)'; exec sleep 1000"), patience: .seconds(600))
            let running = Task { try await save.contents() }
            let number = try await number(in: file)
            await save.stop()
            await #expect(throws: CancellationError.self) { try await running.value }
            try await waitForEnd(ofProcess: number)
            await #expect(throws: CancellationError.self) { try await save.contents() }
        }
    }

    @Test("The command runs again for each request, and a failure gives no new contents")
    func commandIsAskedAgain() async throws {
        try await withFile { file in
            let save = SaveCommand(ShellCommand(text: "cat '\(file.path)'"), patience: .seconds(60))
            let changes = Mutex(0)
            try Data(#"{"a": "first"}"#.utf8).write(to: file)
            #expect(try await save.begin { changes.withLock { $0 += 1 } } == ["a": "first"])
            // No device has received these contents yet.
            #expect(await save.newest() == nil)
            try FileManager.default.removeItem(at: file)
            #expect(await save.newest() == nil)
            try Data(#"{"a": "new"}"#.utf8).write(to: file)
            #expect(await save.newest() == ["a": "new"])
            #expect(changes.withLock { $0 } == 3)
        }
    }
}
