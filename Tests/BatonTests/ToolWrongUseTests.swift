// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Testing
import UserActivity

@testable import baton

/// Tests that mistakes of people and scripts get a one-line answer, and a status for the kind of
/// mistake.
@Suite(.timeLimit(.minutes(5))) struct ToolWrongUseTests {
    private static let offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: "t")

    @Test(
        "A command whose output cannot be written fails",
        arguments: [
            "status >/dev/full", "status --json >/dev/full", "nearby >/dev/full", "--help >/dev/full",
            "--version >/dev/full", "--generate-completion-script bash >/dev/full", "rename x >&-", "status --json >&-",
            "nearby --watch --json --wait 100 >/dev/full",
        ])
    func outputCannotBeWritten(line: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let result = try await Tool.run(on: bus, script: "baton \(line)")
            #expect(result.failedInOneLine, "\(result)")
            #expect(result.status == 74 && result.error.contains("cannot write to standard output: "), "\(result)")
            // If the output was closed, no other file gets its descriptor.
            if line.hasSuffix(">&-") { #expect(result.error.contains("Bad file descriptor"), "\(result)") }
        }
    }

    @Test("If the reader of the tool's output is gone, the tool ends without a message")
    func readerHasGone() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (output, error) = (Pipe(), Pipe())
            try output.fileHandleForReading.close()
            let process = try await ChildProcess(
                Sandbox.built("baton"), ["status"], environment: .only(["DBUS_SESSION_BUS_ADDRESS": bus.address]),
                output: .handle(output.fileHandleForWriting), error: .handle(error.fileHandleForWriting))
            #expect(try await process.end == .killed(SIGPIPE))
            #expect(try error.fileHandleForReading.readToEnd() ?? Data() == Data())
        }
    }

    @Test(
        "An unknown word is named, with a hint",
        arguments: [
            (["foo"], "baton: there is no command 'foo'; see: baton --help\n"),
            (["circle", "foo"], "baton: there is no command 'circle foo'; see: baton circle --help\n"),
            (["rules", "foo", "--help"], "baton: there is no command 'rules foo'; see: baton rules --help\n"),
            (["help", "nosuch"], "baton: there is no command 'nosuch'; see: baton --help\n"),
            (["help", "circle", "nosuch"], "baton: there is no command 'circle nosuch'; see: baton circle --help\n"),
            (["help", "help", "status"], "baton: there is no command 'help'; see: baton --help\n"),
            (["help", "status", "more"], "baton: there is no command 'status more'; see: baton status --help\n"),
            (["status", "more"], "baton: Unexpected argument 'more'; see: baton status --help\n"),
            (["trace", "--nope"], "baton: Unknown option '--nope'; see: baton trace --help\n"),
            (
                ["circle", "create", "--nme", "x"],
                "baton: Unknown option '--nme'. Did you mean '--name'?; see: baton circle create --help\n"
            ),
            (["status", "--not-an-option"], "baton: Unknown option '--not-an-option'; see: baton status --help\n"),
            (
                ["--generate-completion-script", "tcsh"],
                "baton: Can't generate completion scripts for 'tcsh'. Please use --generate-completion-script=<shell> with one of: "
                    + "zsh bash fish; see: baton --help\n"
            ),
            (
                ["publish", "-t", "t"],
                "baton: Missing expected argument '--type <type>'; there is no option -t; see: baton publish --help\n"
            ),
            (
                ["publish", "--type", "t", "--once=yes"],
                "baton: The option '--once' does not take any value, but 'yes' was specified; see: baton publish --help\n"
            ),
            (["\u{1B}[31m"], "baton: there is no command '\\u{1b}[31m'; see: baton --help\n"),
        ])
    func unknownWordIsNamedWithAHint(arguments: [String], line: String) async throws {
        try await PrivateBus.with { bus in
            let result = try await Tool.run(on: bus, arguments)
            #expect(result.status == 64 && result.output.isEmpty && result.error == line, "\(result)")
        }
    }

    @Test("The meanings of the exit statuses fit a line of a terminal")
    func meaningsFitALine() {
        for status in ExitStatus.allCases { #expect(status.meaning.count <= 75, "\(status)") }
    }

    @Test("Help and version need no daemon")
    func helpAndVersionNeedNoDaemon() async throws {
        try await PrivateBus.with { bus in
            let version = try await Tool.run(on: bus, ["--version"])
            #expect(version.status == 0 && version.output == BatonVersion.current + "\n")
            for words in [["help"], ["help", "help"], ["help", "circle", "join"], ["circle", "join", "--help"]] {
                let help = try await Tool.run(on: bus, words)
                #expect(help.status == 0 && help.output.contains("USAGE: baton"), "\(help)")
            }
        }
    }

    @Test(
        "The error for an invalid value names the allowed ones",
        arguments: [
            (["nearby", "--wait", "-1"], "seconds from 0 to 86400"),
            (["nearby", "--wait", "7d"], "seconds from 0 to 86400"),
            (["nearby", "--wait", "0x10"], "seconds from 0 to 86400"),
            (["continue", "--type", "t", "--wait", "nan"], "seconds from 0 to 86400"),
            (["open", "--type", "t", "--wait", "86401"], "seconds from 0 to 86400"),
            (["trace", "--for", "0"], "seconds above 0, 3600 at most"), (["trace", "--draw", ""], "--draw is empty"),
            (["trace", "--for", "0x10"], "seconds above 0, 3600 at most"),
            (["trace", "--for", "-1"], "seconds above 0, 3600 at most"),
            (["trace", "--for", "3601"], "seconds above 0, 3600 at most"),
            (["ping", "sofa", "-n", "x"], "a number from 1 to 1000"),
            (["ping", "sofa", "-n", "-1"], "a number from 1 to"),
            (["ping", "sofa", "--count", "-1"], "a number from 1 to 1000"),
            (["rules", "remove", "x"], "the number of a rule"), (["rules", "remove", "-1"], "the number of a rule"),
            (["publish", "--type", "t", "--info-json", ""], "--info-json is empty"),
            (["publish", "--type", "t", "--webpage", ""], "--webpage is empty"),
            (["publish", "--type", "t", "--title", ""], "--title is empty"),
            (["domains", "check", ""], "DOMAIN is empty"),
            (["continue", ""], "OFFER is empty"), (["open", ""], "OFFER is empty"),
            (["continue", "--type", ""], "--type is empty"), (["open", "--from", ""], "--from is empty"),
            (["pause", "0"], "such as 90, 90s, 30m, 1h30m or 2d, to a week (7d)"), (["pause", "8d"], "such as 90"),
            (["pause", "30m1h"], "such as 90"), (["pause", "1.5h"], "such as 90"), (["pause", "1w"], "such as 90"),
            (["pause", "-1"], "such as 90"),
            (["pause", "99999999999999999999d"], "such as 90"), (["pause", "9223372036854775807d1h"], "such as 90"),
        ])
    func valueThatIsNone(arguments: [String], message: String) async throws {
        try await PrivateBus.with { bus in
            let result = try await Tool.run(on: bus, arguments)
            #expect(result.status == 64 && result.failedInOneLine && result.error.contains(message), "\(result)")
        }
    }

    @Test("Typed JSON is read from standard input")
    func typedJSONFromInput() async throws {
        try await FakeDaemon.with { daemon, bus in
            let arguments = ["publish", "--type", "org.example.t", "--info-json", "-"]
            let tool = try await Tool(on: bus, arguments, input: #"{"n":{"$double":2}}"#)
            var lines = tool.lines.makeAsyncIterator()
            #expect(try await lines.required() == "publishing org.example.t")
            #expect(await daemon.activities["a1"]?.userInfo == ["n": .double(2)])
            tool.interrupt()
            _ = await tool.result
            let bad = try await Tool.run(on: bus, arguments, input: "{\n\"a\":1,}")
            #expect(bad.status == 65 && bad.failedInOneLine, "\(bad)")
            #expect(bad.error.contains("--info-json -: the document is not JSON: line 2, column 6: "), "\(bad)")
            let both = try await Tool.run(on: bus, arguments + ["--stream-from", "-"])
            #expect(both.status == 64 && both.error.contains("both want standard input"), "\(both)")
        }
    }

    @Test("A stream replaces a file only with --force")
    func fileReplacedOnlyByForce() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "file").path()
                try Data("mine".utf8).write(to: URL(filePath: file))
                let link = directory.appending(path: "link").path()
                let dangling = directory.appending(path: "dangling").path()
                try #require(symlink(file, link) == 0 && symlink("nothing", dangling) == 0)
                for arguments in [["continue", "1"], ["publish", "--type", "org.example.t"]] {
                    for target in [file, link, dangling] {
                        let refused = try await Tool.run(on: bus, arguments + ["--stream-to", target])
                        #expect(refused.status == 73 && refused.failedInOneLine, "\(refused)")
                        #expect(refused.error.contains("exists already; give another name, or --force"), "\(refused)")
                    }
                    // Name the same file in another way, and through a redirection.
                    for (source, target, redirection) in [
                        (file, link, ""), ("-", file, "<'\(file)'"), (file, "-", ">>'\(file)'"),
                    ] {
                        let force = target == "-" ? "" : "--force"
                        let line =
                            "baton \(arguments.joined(separator: " ")) --stream-from '\(source)' --stream-to '\(target)' \(force) \(redirection)"
                        let same = try await Tool.run(on: bus, script: line)
                        #expect(same.status == 64 && same.error.contains("are the same file"), "\(line): \(same)")
                    }
                }
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
                let alone = try await Tool.run(on: bus, ["continue", "1", "--force"])
                #expect(alone.status == 64 && alone.error.contains("--force goes with --stream-to"))
            }
        }
    }

    @Test(
        "If the path is a directory, the error asks for a file name and does not suggest its removal",
        arguments: [["circle", "invite", "/etc"], ["continue", "1", "--stream-to", "/etc"]])
    func directoryIsNotToBeRemoved(arguments: [String]) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let result = try await Tool.run(on: bus, arguments)
            #expect(result.status == 73, "\(result)")
            #expect(result.error == "baton: /etc is a directory; give the name of a file\n", "\(result)")
        }
    }

    /// A file that appears during the stream must not be replaced either.
    @Test("A file that appears while the stream runs is kept")
    func fileThatAppearsMeanwhile() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                var state = ActivityState(activityType: "t")
                state.supportsContinuationStreams = true
                await daemon.appear(Self.offer, activity: state)
                let path = directory.appending(path: "to")
                let tool = try await Tool(on: bus, ["continue", "1", "--stream-to", path.path()])
                var calls = daemon.calls.makeAsyncIterator()
                while try await calls.required() != .openedStreams("c1") {}
                try Data("mine".utf8).write(to: path)
                close(try #require(await daemon.streamEnds["sc1"]))
                await daemon.endStream("sc1")
                let result = await tool.result
                #expect(result.status == 73 && result.failedInOneLine, "\(result)")
                #expect(try String(contentsOf: path, encoding: .utf8) == "mine")
            }
        }
    }

    private static let statuses: [(BatonError.Code, Int32)] = [
        (.failed, 1), (.limitReached, 77), (.invitationInvalid, 65), (.userInfoTooLarge, 65), (.invalidArgument, 64),
        (.notFound, 67), (.connectionUnavailable, 68), (.handoffFailed, 68), (.remoteApplicationTimedOut, 68),
        (.alreadyInCircle, 77), (.notAllowed, 77), (.userCancelled, 77), (.pairingFailed, 68), (.noCircle, 78),
    ]

    @Test("The exit status shows the daemon's error", arguments: statuses)
    func statusTellsWhatTheDaemonSaid(code: BatonError.Code, status: Int32) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.fail(BatonError(code, appMessage: "it is so"))
            let result = try await Tool.run(on: bus, ["rename", "x"])
            #expect(result.status == status && result.failedInOneLine, "\(result)")
        }
    }

    @Test("The exit status shows the kind of local error")
    func statusTellsWhatWentWrongHere() async throws {
        try await FakeDaemon.with { daemon, bus in
            for (arguments, status) in [
                (["nearby", "--wait", "0.01"], 75), (["nearby", "--watch", "--wait", "0.01"], 75),
                (["continue", "9"], 75),
                (["open", "--type", "t", "--wait", "0"], 75), (["remove", "nobody"], 67),
                (["continue", "--type", "t", "--from", "nobody"], 67), (["circle", "join", "/nonexistent"], 66),
                (["circle", "join", "/dev/null"], 65), (["circle", "invite", "/nonexistent/x"], 73),
                (["circle", "invite", "/etc/passwd"], 73), (["circle", "invite", "/etc"], 73),
                (["publish", "--type", ""], 64),
                (["publish", "--type", "t", "--info-json", "/nonexistent"], 66),
                (["publish", "--type", "t", "--stream-from", "/nonexistent"], 66), (["publish"], 64),
                (["grants", "allow", "foo"], 67), (["grants", "refuse", "foo", "t"], 67),
                (["adapters", "allow", "foo"], 67), (["adapters", "off", "foo"], 67),
            ] as [([String], Int32)] {
                let result = try await Tool.run(on: bus, arguments)
                #expect(result.status == status && result.failedInOneLine, "\(arguments): \(result)")
            }
            for (streams, rest) in [([], ""), (["--stream-from", "/dev/null"], " and its streams had ended")] {
                let waiting = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--once"] + streams)
                var lines = waiting.lines.makeAsyncIterator()
                _ = try await lines.required()
                waiting.interrupt()
                let end = await waiting.result
                #expect(
                    end.status == 130 && end.error == "baton: interrupted before the activity was continued\(rest)\n",
                    "\(end)")
            }
            await daemon.leave()
            #expect(try await Tool.run(on: bus, ["status"]).status == 69)
        }
    }

    @Test(
        "If the input contains no code, the error says so",
        arguments: [
            "printf ''", "printf ' \\n\\t\\r\\n'", "head -c 10000000 /dev/urandom", "cat /dev/zero",
            "yes '' | head -c 100000",
            "printf 'a\\033b\\n'", "printf '\\377\\n'", "head -c 8193 /dev/zero | tr '\\0' x",
        ])
    func inputWithoutACode(source: String) async throws {
        try await PrivateBus.with { bus in
            let result = try await Tool.run(on: bus, script: "\(source) | baton pair --code -")
            #expect(result.status == 65 && result.error.contains("baton: standard input held no code; "), "\(result)")
        }
    }

    @Test("A negative number that was read as an option is named once")
    func negativeNumberIsNamedOnce() async throws {
        try await PrivateBus.with { bus in
            let result = try await Tool.run(on: bus, ["ping", "-5", "sofa"])
            #expect(result.status == 64 && result.failedInOneLine, "\(result)")
            #expect(result.error.contains("Unknown option '-5'; see: baton ping --help"), "\(result)")
        }
    }

    /// The offer disappears between the list and the request.
    @Test("An offer that has disappeared is not reported as an unknown device")
    func offerThatHasGone() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let result = try await Tool.run(on: bus, ["continue", "1"])
            #expect(result.status == 75 && result.failedInOneLine, "\(result)")
        }
    }
}
