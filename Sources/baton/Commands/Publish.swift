// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import UserActivity

/// `baton publish`
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Offer an activity to the other devices of the circle, and stay.",
        discussion: """
            Prints what happens, an event a line, and ends the activity at SIGINT or SIGTERM. With --stream-to - the \
            events go to standard error, since standard output belongs to the stream.
            """)

    @OptionGroup var options: ActivityOptions
    @OptionGroup var streams: StreamOptions

    @Option(help: ArgumentHelp("Whose apps may continue it, as X-Baton-Team says it.", valueName: "team"))
    var team: String?

    @Flag(help: "End after one continuation and its streams.")
    var once = false

    func run() async throws {
        var state = try options.state()
        state.supportsContinuationStreams = streams.areWanted
        // A file that cannot be read or written is found out now, not when another device asks for it.
        try streams.check()
        let (activityState, streams, once) = (state, streams, once)
        let signals = await Termination.signals
        try await Daemon.connected(team: team) { connection in
            if let obstacle = await Daemon.obstacle(connection.bus) {
                Output.error.line("baton: warning: nobody sees this yet: \(obstacle)")
            }
            let activity = UserActivity(state: activityState, host: connection)
            var publisher = Publisher(activity: activity, connection: connection, streams: streams, once: once)
            try await publisher.run(until: signals)
        }
    }
}
