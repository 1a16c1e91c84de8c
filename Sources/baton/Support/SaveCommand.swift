// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ChildProcesses
import FoundationEssentials
import Glibc
import Synchronization
import Threads
import UserInfoJSON

/// `--save-command`: contents that a command is asked for whenever a device wants them.
///
/// One that fails at first has nothing to be offered. One that fails later changes nothing, as a
/// delegate that does nothing: the contents before are handed over (Decision 0050).
final class SaveCommand: ActivityContents {
    /// How long it may take: what the daemon waits for an app, less a second for the way there and
    /// back. So the contents before are still in time.
    static let patience = Duration.seconds(4)

    /// What stands for contents that are longer than anybody reads: the daemon refuses them, and
    /// tells the other device so, which is not to get the contents before.
    static let tooLarge: UserInfo = [
        "what the command has written": .data(Data(count: UserInfoValue.maximumSize + 1))
    ]

    private struct State {
        var isStopped = false
        var child: ChildProcess?
        var asking: Task<UserInfo, any Error>?
        /// Whether the activity has contents that no device has had yet.
        var isFresh = false
        /// Told that the next device may get others.
        var changed: @Sendable () -> Void = {}
        /// Whether the command has failed the last time.
        var hasFailed = false
    }

    private let command: ShellCommand
    private let patience: Duration
    private let state = Mutex(State())

    init(_ command: ShellCommand, patience: Duration = SaveCommand.patience) {
        self.command = command
        self.patience = patience
    }

    var areSaved: Bool { state.withLock { !$0.hasFailed } }

    func begin(_ changed: @escaping @Sendable () -> Void) async throws -> UserInfo? {
        do {
            let contents = try await ask()
            guard contents != Self.tooLarge else {
                throw ToolFailure("the command has written more than \(UserInfoJSON.maximumSize) bytes")
            }
            state.withLock { ($0.isFresh, $0.changed) = (true, changed) }
            return contents
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ToolFailure("--save-command: \(Self.reason(error)); nothing is published", status: .badContents)
        }
    }

    func newest() async -> UserInfo? {
        let (isFresh, changed) = state.withLock { state in
            defer { state.isFresh = false }
            return (state.isFresh, state.changed)
        }
        // The next device gets what there is then.
        defer { changed() }
        if isFresh { return nil }
        do {
            let contents = try await ask()
            state.withLock { $0.hasFailed = false }
            return contents
        } catch is CancellationError {
            return nil
        } catch {
            state.withLock { $0.hasFailed = true }
            Output.warn(
                "--save-command: \(Self.reason(error)); the contents before it are handed over, unless they were too large"
            )
            return nil
        }
    }

    /// Ends the command that runs, if one does, and waits until it has gone.
    func stop() async {
        let (child, asking) = state.withLock { state in
            state.isStopped = true
            return (state.child, state.asking)
        }
        child?.sendToGroup(SIGKILL)
        _ = await asking?.result
    }

    private func ask() async throws -> UserInfo {
        let asking = Task {
            let contents = try await contents()
            try ActivityState.validate(userInfo: contents)
            return contents
        }
        state.withLock { $0.asking = asking }
        defer { state.withLock { $0.asking = nil } }
        return try await asking.value
    }

    private static func reason(_ error: any Error) -> String { ToolFailure.oneLine(error, message: "\(error)") }

    /// Runs the command once.
    ///
    /// - Returns: What it has written.
    /// - Throws: What was wrong with it or with that; `CancellationError` after ``stop()``.
    func contents() async throws -> UserInfo {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
        let deadline = ContinuousClock.now + patience
        let (reader, writer) = try OpenDescriptor.pipe()
        let child = try await command.start(output: writer.forChild)
        let isStopped = state.withLock { state in
            state.child = child
            return state.isStopped
        }
        if isStopped { child.sendToGroup(SIGKILL) }
        let clock = Task {
            try await Task.sleep(until: deadline)
            child.sendToGroup(SIGKILL)
        }
        defer {
            clock.cancel()
            state.withLock { $0.child = nil }
            // What it has left behind.
            child.sendToGroup(SIGKILL)
        }
        let text = try await OwnThread.run {
            try Descriptor.readAll(
                from: reader.number, called: "the command",
                limit: UserInfoJSON.maximumSize,
                until: deadline)
        }
        if text.count > UserInfoJSON.maximumSize { child.sendToGroup(SIGKILL) }
        let end = try await child.end
        return try userInfo(text, end, isLate: ContinuousClock.now >= deadline)
    }

    private func userInfo(_ text: Data, _ end: ChildProcess.End, isLate: Bool) throws -> UserInfo {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
        guard text.count <= UserInfoJSON.maximumSize else { return Self.tooLarge }
        guard !isLate else {
            throw ToolFailure("the command, or what it has started, had not ended after \(patience.inSeconds) s")
        }
        if let failure = end.failure { throw ToolFailure("the command \(failure)") }
        return try UserInfoJSON.userInfo(parsing: text)
    }
}

extension Duration {
    /// Whole seconds, for people.
    var inSeconds: Int64 { components.seconds }
}
