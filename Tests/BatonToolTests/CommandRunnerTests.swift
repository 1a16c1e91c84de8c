// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import baton

/// Tests the commands that `baton serve` runs.
@Suite(.timeLimit(.minutes(5))) struct CommandRunnerTests {
    private static let long = Duration.seconds(600)

    /// Waits until no command runs any more. It polls, because nothing reports the end of a
    /// command that was taken over.
    private func waitUntilIdle(_ runner: CommandRunner) async throws {
        try await eventually("no command is left") { await runner.count == 0 }
    }

    /// Waits until no further command may wait for a place. It polls, because nothing reports that
    /// a command waits.
    private func waitUntilFull(_ runner: CommandRunner) async throws {
        try await eventually("one waits for a place") { (try? await runner.check()) == nil }
    }

    private func lines(_ file: URL) -> [String] {
        (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }

    @Test("A command gets its complete input, and its success means that it has taken the activity over")
    func commandReadsAll() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "got")
            let runner = CommandRunner(ShellCommand(text: "cat >'\(file.path)'"), patience: Self.long)
            // The text is larger than a pipe's buffer. The command need not read it.
            let text = String(repeating: "é", count: 200_000)
            try await runner.run(for: "t") { CommandInput(text: text) }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            try await CommandRunner(ShellCommand(text: "true"), patience: Self.long).run(for: "t") {
                CommandInput(text: text)
            }
        }
    }

    @Test("A command that fails counts as not having taken its activity over")
    func commandThatFails() async throws {
        let runner = CommandRunner(ShellCommand(text: "exit 3"), patience: Self.long)
        let error = await #expect(throws: BatonError.self) {
            try await runner.run(for: "t") { CommandInput(text: "") }
        }
        #expect(error?.code == .applicationFailed)
        #expect(error?.message == "its command ended with status 3, so it has not taken the activity over")
    }

    @Test("A command that keeps running counts as having taken its activity over, and does not block others")
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

    @Test("A command's time limit starts after its input has arrived")
    func inputThatTakesLong() async throws {
        let runner = CommandRunner(ShellCommand(text: "exit 3"), patience: .milliseconds(1), limit: Self.long)
        let error = await #expect(throws: ToolFailure.self) {
            try await runner.run(for: "t") {
                // Wait for much longer than the command's time limit.
                try await Task.sleep(for: .milliseconds(200))
                throw ToolFailure("the stream was cut")
            }
        }
        #expect(error?.description == "the stream was cut")
    }

    @Test("If the input takes longer than the daemon waits, the activity counts as taken over")
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

    @Test("A command that gets a free place only when the runner ends is given no input")
    func placeAsAllAreEnded() async throws {
        // Either the place or the runner's end comes first. In 200 attempts, the end comes first
        // often enough.
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

    @Test("Only as many commands run as there are places, and others wait if there is room")
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
            // While this one waits, the next one is refused at once.
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

    @Test("A command that waits too long for a place is refused")
    func whoWaitsTooLongIsRefused() async throws {
        let places = CommandPlaces(1, waiting: 1, patience: .milliseconds(1))
        try await places.take()
        await #expect(throws: BatonError.self) { try await places.take() }
        await places.give()
        try await places.take()
    }

    @Test("Ending the runner ends all commands with their descendants, and starts none")
    func endEndsCommands() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "numbers")
            // One of them ignores SIGTERM.
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
