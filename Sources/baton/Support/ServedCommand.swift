// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import UserActivity

/// The app that `baton serve` is: what the daemon calls, done by a command.
struct ServedCommand: ApplicationBusHandler {
    let runner: CommandRunner
    let connection: BatonConnection
    /// Whether what comes by an activity's stream is wanted.
    let receives: Bool
    private let room = StreamRoom()

    init(_ runner: CommandRunner, connection: BatonConnection, receives: Bool) {
        self.runner = runner
        self.connection = connection
        self.receives = receives
    }

    /// A command shows nothing before it runs: Baton does.
    func willContinue(_ coming: ComingActivity) async throws -> Bool {
        try await runner.check()
        return false
    }

    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        let continuation = try Continuation(activity, connection: connection)
        try await runner.run(for: "\(activity.activity.activityType) from \(activity.deviceName)") {
            try await input(continuation)
        }
        return true
    }

    /// No command has begun, so that there is nothing to be taken back; the user reads it in
    /// Baton's notification.
    func didFail(type: String, error: BatonBusError) async throws {
        Output.note("baton: \(type) was not continued: \(error.message)")
        throw BatonBusError(.failed, "baton serve leaves it to Baton to say so")
    }

    private func received(_ streams: ContinuationStreams) async throws -> ReceivedStream {
        try await ReceivedStream(streams, room: room) {
            await connection.giveUp(streams)
        } waitForEnd: {
            try await connection.waitForEnd(of: streams)
        }
    }

    private func input(_ continuation: Continuation) async throws -> CommandInput {
        let streams =
            receives && continuation.activity.supportsContinuationStreams ? try await continuation.openStreams() : nil
        let text = try ContinuationJSON.node(continuation, streams: streams).text() + "\n"
        guard let streams else { return CommandInput(text: text) }
        return CommandInput(text: text, received: try await received(streams))
    }
}
