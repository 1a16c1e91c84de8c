// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ActivityModel
import BatonBus
import BatonClient

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Offer an activity to the other devices of the circle, and stay.",
        discussion: """
            It prints each event on a line. At SIGINT, SIGTERM or SIGHUP it ends the activity. It also ends with \
            the session bus. With --stream-to -, events go to standard error, because standard output belongs to \
            the stream. When batond ends, it says so on standard error, and waits. It publishes the activity \
            again when batond is back.

            It warns of a rule that hides the activity, and says when no rule does any more. It warns of a \
            pause, or of a missing circle or radio, only at its start. 'baton status' shows them later.

            Standard input is sent only once. Without --force, --stream-to FILE is written only once. After \
            that, streams of later continuations are refused. Streams are also refused while standard output is \
            in use. With --once, they are refused while other streams are in use.
            """)

    @OptionGroup var options: ActivityOptions
    @OptionGroup var streams: StreamOptions

    @Option(help: ArgumentHelp("The team whose apps may continue the activity, as in X-Baton-Team.", valueName: "team"))
    var team: String?

    @Flag(
        help:
            "Offer the activity only while this laptop offers no other one. Then music does not hide the document in front."
    )
    var background = false

    @Option(
        help: ArgumentHelp(
            "Run this command with sh for the userInfo, at the start and whenever a device wants the activity. It must write typed JSON within 4 s. For one device it runs at most every 3 s. If it fails at the start, nothing is published. If it fails later, the previous contents are handed over. Contents that are too large are not handed over.",
            valueName: "command"))
    var saveCommand: String?

    @Flag(
        help:
            "Read updates from standard input. Each line is the new userInfo: an object of typed JSON. The end of input ends the updates, not the activity."
    )
    var update = false

    @Flag(
        help:
            "End after one continuation and its streams, which must be opened within 60 s. When batond ends, an activity that was continued is not published again."
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
        // Report a file that cannot be read or written now, not only when another device asks for
        // it.
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
