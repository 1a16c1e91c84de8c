// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ChildProcesses
import FoundationEssentials
import Glibc
import Synchronization
import Threads
import UserInfoJSON

/// The contents source of `--save-command`: runs a command whenever a device wants the contents.
///
/// If the first run of the command fails, nothing is offered. If a later run fails, the previous
/// contents are handed over (Decision 0050).
final class SaveCommand: ActivityContents {
    /// The command's time limit. This limit is a second shorter than the daemon's time limit for an
    /// app. So the previous contents still reach the daemon in time after a timeout.
    static let patience = Duration.seconds(4)

    /// A replacement for contents that are too large. The daemon refuses the replacement and tells
    /// the other device, so that device does not get the previous contents.
    static let tooLarge: UserInfo = [
        "what the command has written": .data(Data(count: UserInfoValue.maximumSize + 1))
    ]

    private struct State {
        var isStopped = false
        var child: ChildProcess?
        var asking: Task<UserInfo, any Error>?
        /// Whether the activity has contents that no device has received yet.
        var isFresh = false
        /// Marks the contents as changed. Called after each request, so that the next device's
        /// request runs the command again.
        var changed: @Sendable () -> Void = {}
        /// Whether the command's last run has failed.
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
        // Mark the contents as changed, so that the daemon asks again for the next device.
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

    /// Ends a running command, and waits until it is gone.
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
    /// - Returns: The contents that the command printed.
    /// - Throws: The failure of the command or of parsing its output, or `CancellationError` after
    ///   ``stop()``.
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
            // End the processes that the command left behind.
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
    /// The duration in whole seconds. A fraction is dropped.
    var inSeconds: Int64 { components.seconds }
}
