// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import Synchronization
import UserInfoJSON
import Wording

/// The app of `baton serve`: answers the daemon's calls by running a command.
final class ServedCommand: ApplicationBusHandler {
    /// The number of failures to remember, one for each command that may run or wait. So each
    /// failure is still known when the daemon reports it.
    private static let maximumSaid = 32

    let runner: CommandRunner
    let connection: DaemonConnection
    /// Whether to receive the data of an activity's stream.
    let receives: Bool
    private let room = StreamRoom()
    /// The failures that were printed and that the daemon has not reported yet, the latest last.
    private let said = Mutex<[String]>([])

    init(_ runner: CommandRunner, connection: DaemonConnection, receives: Bool) {
        self.runner = runner
        self.connection = connection
        self.receives = receives
    }

    /// Refuses an activity if its command could neither run nor wait. Returns `false` so that Baton
    /// shows the progress, because the command does not run yet.
    func willContinue(_ coming: ComingActivity) async throws -> Bool {
        try await runner.check()
        return false
    }

    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        let continuation = try FetchedActivity(activity, connection: connection)
        let name = "\(activity.activity.activityType) from \(activity.deviceName)"
        do {
            try await runner.run(for: name) { try await self.input(continuation) }
        } catch {
            say("\(error)", of: name)
            throw error
        }
        return true
    }

    /// Prints a failure unless it was printed already. Then throws, so that Baton shows its own
    /// notification.
    func didFail(type: String, error: BatonError) async throws {
        if !wasSaid(error.message) {
            Output.note("baton: \(type) was not continued: \(error.text(on: .terminal))")
        }
        throw BatonError(.failed, appMessage: "baton serve lets Baton report the failure")
    }

    private func say(_ failure: String, of name: String) {
        Output.note("baton: \(name) was not continued: \(failure)")
        said.withLock { $0 = $0.suffix(Self.maximumSaid - 1) + [failure] }
    }

    /// Returns whether this app has already printed this failure, and forgets the failure. The
    /// daemon's message contains the app's own message.
    private func wasSaid(_ message: String) -> Bool {
        said.withLock { said in
            guard let index = said.firstIndex(where: { message.contains($0) }) else { return false }
            said.remove(at: index)
            return true
        }
    }

    private func received(_ streams: ContinuationStreams) async throws -> ReceivedStream {
        try await ReceivedStream(streams, room: room) {
            await self.connection.giveUp(streams.identifier)
        } waitForEnd: {
            try await self.connection.waitForEnd(of: streams.identifier)
        }
    }

    private func input(_ continuation: FetchedActivity) async throws -> CommandInput {
        let streams =
            receives && continuation.state.supportsContinuationStreams ? try await continuation.openStreams() : nil
        let text = try ContinuationJSON.node(continuation, streams: streams).text() + "\n"
        guard let streams else { return CommandInput(text: text) }
        return CommandInput(text: text, received: try await received(streams))
    }
}
