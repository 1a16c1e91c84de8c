// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ActivityModel
import BatonBus
import BatonClient

/// `baton publish`
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Offer an activity to the other devices of the circle, and stay.",
        discussion: """
            Prints what happens, an event a line, and ends the activity at SIGINT, SIGTERM or SIGHUP. With --stream-to - the \
            events go to standard error, since standard output belongs to the stream. When batond ends, it says so on \
            standard error, waits, and publishes the activity again once batond is back. It ends with the session bus. \
            It warns of a rule that hides the activity, and says when none does any more; of a pause, and of no circle or \
            radio, only as it begins: 'baton status' has them later.

            Standard input is sent once, and --stream-to FILE written once without --force: streams of later \
            continuations are refused, and so are those that come while standard output or, with --once, the \
            streams are in use.
            """)

    @OptionGroup var options: ActivityOptions
    @OptionGroup var streams: StreamOptions

    @Option(help: ArgumentHelp("Whose apps may continue it, as X-Baton-Team says it.", valueName: "team"))
    var team: String?

    @Flag(help: "Offer it only while nothing else on this laptop is: music does not hide the document in front.")
    var background = false

    @Option(
        help: ArgumentHelp(
            "Ask this command of sh for the userInfo whenever a device wants it, and first of all: it writes typed JSON, within 4 s. For one device it runs at most every 3 s. Where it fails at first nothing is published; later the contents before are handed over. Of contents that are too large nothing is.",
            valueName: "command"))
    var saveCommand: String?

    @Flag(
        help:
            "Each line of standard input is the userInfo from then on: an object of typed JSON, on one line. The end of input ends the updates, not the activity."
    )
    var update = false

    @Flag(
        help:
            "End after one continuation and its streams, which must be opened within 60 s of it. What was continued is not published again when batond ends."
    )
    var once = false

    func validate() throws {
        let readers = [
            ("--info-json -", options.infoJson == "-"), ("--update", update),
            ("--stream-from -", streams.streamFrom == "-"),
        ].filter(\.1).map(\.0)
        if readers.count > 1 {
            throw ValidationError(
                "\(readers[0]) and \(readers[1]) both want standard input; give one of them a file, or leave it out")
        }
        if update, saveCommand != nil {
            throw ValidationError("--update and --save-command both give the userInfo; leave one of them out")
        }
        if saveCommand != nil, let given = options.infoOption {
            throw ValidationError("\(given) and --save-command both give the userInfo; leave one of them out")
        }
        if saveCommand?.isEmpty == true { throw ValidationError("--save-command is empty; give a command of sh") }
    }

    func run() async throws {
        var state = try options.state()
        state.supportsContinuationStreams = streams.areWanted
        // Find a file that cannot be read or written now, not when another device asks for it.
        try streams.check()
        let (activityState, streams, once, contents) = (state, streams, once, contents)
        let signals = await Termination.signals
        var program = DaemonConnection.Options()
        program.publishing = PublishOptions(team: team, isBackground: background)
        program.folders = .configured(warn: Output.warn)
        try await Daemon.connected(as: program) { connection in
            let silence = try await Termination.cancels(
                saying: "interrupted before \(activityState.activityType) was published"
            ) { try await Daemon.silence(connection.bus) }
            if let silence { Output.warn("nobody sees this yet: \(silence)") }
            let activity = PublisherActivity(activityState, on: connection, contents: contents)
            var publisher = Publisher(
                activity: activity, connection: connection, streams: streams, once: once,
                output: streams.usesStandardOutput ? .error : .standard)
            try await publisher.run(until: signals)
        }
    }

    /// The source of the activity's contents, or `nil` if the options name none.
    private var contents: (any ActivityContents)? {
        if let saveCommand { return SaveCommand(ShellCommand(text: saveCommand)) }
        return update ? UpdateLines() : nil
    }
}
