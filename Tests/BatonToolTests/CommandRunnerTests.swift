// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import baton

/// `baton serve`: the commands that it runs.
@Suite(.timeLimit(.minutes(5))) struct CommandRunnerTests {
    private static let long = Duration.seconds(600)

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "serve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// Returns once no command runs any more: the end of one that its caller does not wait for is
    /// told to nobody.
    private func waitUntilIdle(_ runner: CommandRunner) async throws {
        try await eventually("no command is left") { await runner.count == 0 }
    }

    /// Returns once there is no room to wait for a place: nobody is told who waits.
    private func waitUntilFull(_ runner: CommandRunner) async throws {
        try await eventually("one waits for a place") { (try? await runner.check()) == nil }
    }

    private func lines(_ file: URL) -> [String] {
        (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }

    @Test("A command reads all that it is given, and has taken it when it ends well")
    func commandReadsAll() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "got")
            let runner = CommandRunner(ShellCommand(text: "cat >'\(file.path)'"), patience: Self.long)
            // More than fits a pipe, and nobody has to read it.
            let text = String(repeating: "é", count: 200_000)
            try await runner.run(for: "t") { CommandInput(text: text) }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            try await CommandRunner(ShellCommand(text: "true"), patience: Self.long).run(for: "t") {
                CommandInput(text: text)
            }
        }
    }

    @Test("A command that fails has not taken what it was given")
    func commandThatFails() async throws {
        let runner = CommandRunner(ShellCommand(text: "exit 3"), patience: Self.long)
        let error = await #expect(throws: BatonError.self) {
            try await runner.run(for: "t") { CommandInput(text: "") }
        }
        #expect(error?.code == .applicationFailed)
        #expect(error?.message == "its command ended with status 3, so it has not taken the activity over")
    }

    @Test("A command that goes on has taken what it was given, and holds up no other")
    func commandThatGoesOn() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "read")
            let script = "read -r word; echo $word >>'\(file.path)'; [ $word = short ] || exec sleep 1000"
            let runner = CommandRunner(ShellCommand(text: script), patience: .milliseconds(1))
            try await runner.run(for: "t") { CommandInput(text: "long\n") }
            try await runner.run(for: "t") { CommandInput(text: "short\n") }
            try await untilFiles(in: directory, "both have begun") { lines(file).count == 2 }
            await runner.end()
        }
    }

    @Test("A command has its time to decide, however long its input has taken")
    func inputThatTakesLong() async throws {
        let runner = CommandRunner(ShellCommand(text: "exit 3"), patience: .milliseconds(1), limit: Self.long)
        let error = await #expect(throws: ToolFailure.self) {
            try await runner.run(for: "t") {
                // Many times what a command has.
                try await Task.sleep(for: .milliseconds(200))
                throw ToolFailure("the stream was cut")
            }
        }
        #expect(error?.description == "the stream was cut")
    }

    @Test("Input that takes longer than the daemon waits counts as taken")
    func inputBeyondTheLimit() async throws {
        let runner = CommandRunner(ShellCommand(text: "true"), patience: Self.long, limit: .milliseconds(1))
        let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
        try await runner.run(for: "t") {
            for await _ in arrivals { break }
            return CommandInput(text: "")
        }
        #expect(await runner.count == 1)
        arrive.yield()
        try await waitUntilIdle(runner)
    }

    @Test("A command that gets its place as all are ended is given nothing")
    func placeAsAllAreEnded() async throws {
        // What comes first is up to the machine: often enough it is the end.
        for _ in 0..<200 {
            let places = CommandPlaces(1, waiting: 1, patience: Self.long)
            let runner = CommandRunner(ShellCommand(text: "true"), places: places, patience: Self.long)
            let hasEnded = Atomic(false)
            try await places.take()
            let waiting = Task {
                try await runner.run(for: "t") {
                    let isTooLate = hasEnded.load(ordering: .sequentiallyConsistent)
                    #expect(!isTooLate)
                    throw CancellationError()
                }
            }
            try await waitUntilFull(runner)
            await places.give()
            await runner.end()
            hasEnded.store(true, ordering: .sequentiallyConsistent)
            await #expect(throws: (any Error).self) { try await waiting.value }
        }
    }

    @Test("No more commands run at once than there are places; the rest waits, if there is room")
    func noMoreThanPlaces() async throws {
        try await withDirectory { directory in
            let (file, go) = (directory.appending(path: "began"), directory.appending(path: "go"))
            let script = "echo x >>'\(file.path)'; until [ -e '\(go.path)' ]; do sleep 0.01; done"
            let runner = CommandRunner(
                ShellCommand(text: script), places: CommandPlaces(2, waiting: 1, patience: Self.long),
                patience: Self.long)
            async let first: Void = runner.run(for: "t") { CommandInput(text: "") }
            async let second: Void = runner.run(for: "t") { CommandInput(text: "") }
            try await untilFiles(in: directory, "both have begun") { lines(file).count == 2 }
            async let third: Void = runner.run(for: "t") { CommandInput(text: "") }
            // Once that one waits, the next one does not even get to wait.
            try await waitUntilFull(runner)
            let error = await #expect(throws: BatonError.self) {
                try await runner.run(for: "t") { CommandInput(text: "") }
            }
            #expect(error?.code == .notReady)
            #expect(lines(file).count == 2)
            try Data().write(to: go)
            _ = try await (first, second, third)
            #expect(lines(file).count == 3)
            try await runner.check()
        }
    }

    @Test("Who waits too long for a place is refused")
    func whoWaitsTooLongIsRefused() async throws {
        let places = CommandPlaces(1, waiting: 1, patience: .milliseconds(1))
        try await places.take()
        await #expect(throws: BatonError.self) { try await places.take() }
        await places.give()
        try await places.take()
    }

    @Test("An end ends commands with all that they have started, and none begins")
    func endEndsCommands() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "numbers")
            // One of them heeds no SIGTERM.
            let script =
                "trap '' TERM; sleep 1000 & echo $! >>'\(file.path)'; echo $$ >>'\(file.path)'; wait; sleep 1000"
            let runner = CommandRunner(ShellCommand(text: script), patience: Self.long)
            let running = Task { try await runner.run(for: "t") { CommandInput(text: "") } }
            try await untilFiles(in: directory, "both have begun") { lines(file).count == 2 }
            await runner.end()
            let error = await #expect(throws: BatonError.self) { try await running.value }
            #expect(error?.message.contains("was ended by signal 9") == true)
            #expect(await runner.count == 0)
            for number in lines(file).compactMap({ Int32($0) }) { try await waitForEnd(ofProcess: number) }
            await #expect(throws: BatonError.self) { try await runner.run(for: "t") { CommandInput(text: "") } }
            #expect(lines(file).count == 2)
        }
    }

    @Test("Commands that have ended leave nothing behind")
    func endedCommandsAreGone() async throws {
        let runner = CommandRunner(ShellCommand(text: "cat >/dev/null"), patience: Self.long)
        for _ in 0..<100 { try await runner.run(for: "t") { CommandInput(text: "x") } }
        try await waitUntilIdle(runner)
    }
}
