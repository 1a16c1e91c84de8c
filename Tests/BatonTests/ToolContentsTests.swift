// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

/// Tests `baton publish` with changing contents, and with a daemon that ends and comes back.
@Suite(.timeLimit(.minutes(5))) struct ToolContentsTests {
    /// Skips calls until an update whose contents fit. By default all contents fit.
    private func update(
        _ calls: inout AsyncStream<FakeDaemon.Call>.Iterator, needsSave: Bool,
        where fits: (UserInfo) -> Bool = { _ in true }
    ) async throws -> ActivityState {
        while true {
            if case .updated(_, let state, needsSave) = try await calls.required(), fits(state.userInfo) {
                return state
            }
        }
    }

    @Test("The save command runs whenever the contents are needed")
    func saveCommandIsAsked() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "info.json")
                try Data(#"{"n":1}"#.utf8).write(to: file)
                var calls = daemon.calls.makeAsyncIterator()
                let tool = try await Tool(
                    on: bus, ["publish", "--type", "org.example.t", "--save-command", "cat '\(file.path)'"])
                #expect(try await calls.required() == .published("a1", needsSave: false))
                #expect(await daemon.activities["a1"]?.userInfo == ["n": .int(1)])
                // The activity always counts as having newer contents.
                _ = try await update(&calls, needsSave: true)
                for number in 2...4 {
                    try Data(#"{"n":\#(number)}"#.utf8).write(to: file)
                    await daemon.askToSave("a1")
                    #expect(try await update(&calls, needsSave: false).userInfo == ["n": .int(Int64(number))])
                    _ = try await update(&calls, needsSave: true)
                }
                // Invalid output of the command changes nothing.
                try Data("{".utf8).write(to: file)
                await daemon.askToSave("a1")
                #expect(try await update(&calls, needsSave: false).userInfo == ["n": .int(4)])
                tool.interrupt()
                let result = await tool.result
                #expect(result.status == 0, "\(result)")
                #expect(result.error.hasPrefix("baton: warning: --save-command: the document is not JSON: line 1"))
                #expect(
                    result.error.hasSuffix("; the contents before it are handed over, unless they were too large\n"),
                    "\(result)")
                #expect(result.output.components(separatedBy: "saved\n").count == 4, "\(result)")
            }
        }
    }

    @Test(
        "If the save command fails at first, nothing is published",
        arguments: [
            ("exit 3", "the command ended with status 3"), ("echo '{'", "the document is not JSON: line"),
            ("echo '{\"a\":{\"$set\":[1,1]}}'", "is in the set twice"), ("yes", "has written more than 1048576 bytes"),
        ])
    func saveCommandFailsAtFirst(script: String, says: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            let result = try await Tool.run(
                on: bus, ["publish", "--type", "org.example.t", "--save-command", script])
            #expect(result.status == 65 && result.failedInOneLine && result.output.isEmpty, "\(result)")
            #expect(result.error.hasPrefix("baton: --save-command: "), "\(result)")
            #expect(result.error.contains(says) && result.error.hasSuffix("; nothing is published\n"), "\(result)")
            #expect(await daemon.activities.isEmpty)
        }
    }

    @Test("When the tool ends, its save command ends too")
    func endOfTheTool() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "number")
                let script =
                    "[ -e '\(file.path)' ] && { echo $$ >&2; exec sleep 1000; }; >'\(file.path)'; echo {}"
                let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--save-command", script])
                var (lines, errors) = (tool.lines.makeAsyncIterator(), tool.errors.makeAsyncIterator())
                _ = try await lines.required()
                await daemon.askToSave("a1")
                let number = try await Int32(errors.required())
                tool.interrupt()
                #expect(await tool.result.status == 0)
                #expect(kill(try #require(number), 0) == -1 && errno == ESRCH)
            }
        }
    }

    @Test("Each line sets the contents, which are sent only on request")
    func eachLineIsTheContents() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let pipe = directory.appending(path: "lines").path()
                try #require(mkfifo(pipe, 0o600) == 0)
                // The pipe is open in both directions, so that it stays open and opening it does
                // not block.
                let tool = try await Tool(
                    on: bus, script: #"exec "$0" publish --type org.example.t --info a=first --update <>'\#(pipe)'"#)
                let input = try FileHandle(forWritingTo: URL(filePath: pipe))
                func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }
                var calls = daemon.calls.makeAsyncIterator()
                while try await calls.required() != .becameCurrent("a1") {}
                #expect(await daemon.activities["a1"]?.userInfo == ["a": "first"])
                try type(#"{"a": 1}"#)
                #expect(try await update(&calls, needsSave: true).userInfo == ["a": "first"])
                for number in 2...1_000 { try type(#"{"a": \#(number)}"#) }
                try type("{")
                try type(#"{"a": "\#(String(repeating: "x", count: 1_048_576))"}"#)
                try type("[1]")
                try type(#"{"a": "last"}"#)
                var errors = tool.errors.makeAsyncIterator()
                #expect(
                    try await errors.required().hasPrefix(
                        "baton: warning: --update: line 1001 is passed over: the document is not JSON"))
                #expect(
                    try await errors.required()
                        == "baton: warning: --update: line 1002 is passed over: the document is longer than 1048576 bytes"
                )
                #expect(try await errors.required().contains("line 1003 is passed over: the document is not an object"))
                // Updates sent meanwhile have the former contents, because the daemon had not asked
                // for new ones.
                var saved = ActivityState(activityType: "t")
                while saved.userInfo != ["a": "last"] {
                    await daemon.askToSave("a1")
                    saved = try await update(&calls, needsSave: false)
                }
                #expect(await daemon.activities["a1"]?.userInfo == ["a": "last"])
                tool.interrupt()
                #expect(await tool.result.status == 0)
            }
        }
    }

    @Test("The end of the input ends the updates, but not the activity")
    func endOfInput() async throws {
        try await FakeDaemon.with { daemon, bus in
            var calls = daemon.calls.makeAsyncIterator()
            let tool = try await Tool(
                on: bus, ["publish", "--type", "org.example.t", "--update"], input: "{\"a\": 1}\n{\"a\": 2}")
            while try await calls.required() != .becameCurrent("a1") {}
            while await daemon.activities["a1"]?.userInfo != ["a": .int(2)] {
                await daemon.askToSave("a1")
                _ = try await update(&calls, needsSave: false)
            }
            await daemon.beContinued("a1", on: "bb", called: "sofa")
            var lines = tool.lines.makeAsyncIterator()
            while try await lines.required() != "continued on sofa" {}
            tool.interrupt()
            #expect(await tool.result.status == 0)
        }
    }

    @Test(
        "Options for contents that exclude each other are rejected",
        arguments: [
            (["--update", "--info-json", "-"], "both want standard input"),
            (["--update", "--stream-from", "-"], "both want standard input"),
            (["--update", "--save-command", "true"], "both give the userInfo"),
            (["--info", "a=b", "--save-command", "true"], "--info and --save-command both give the userInfo"),
            (["--info-json", "x", "--save-command", "true"], "--info-json and --save-command both give the userInfo"),
            (["--save-command", ""], "give a command of sh"),
        ])
    func contentsExcludeEachOther(arguments: [String], message: String) async throws {
        try await PrivateBus.with { bus in
            let result = try await Tool.run(on: bus, ["publish", "--type", "org.example.t"] + arguments)
            #expect(result.status == 64 && result.failedInOneLine && result.error.contains(message), "\(result)")
        }
    }

    @Test("An activity is published again each time the daemon restarts")
    func publishedAgain() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--title", "T", "--once"])
            var lines = tool.lines.makeAsyncIterator()
            #expect(try await lines.required() == "publishing org.example.t")
            for number in 2...4 {
                await daemon.leave()
                var errors = tool.errors.makeAsyncIterator()
                #expect(
                    try await errors.required()
                        == "baton: warning: batond has ended; org.example.t is published again when it is back")
                await daemon.forget()
                try await daemon.comeBack()
                #expect(try await lines.required() == "publishing org.example.t")
                #expect(await daemon.activities["a\(number)"]?.title == "T")
            }
            await daemon.beContinued("a4", on: "bb", called: "sofa")
            #expect(try await lines.required() == "continued on sofa")
            #expect(await tool.result.status == 0)
        }
    }

    @Test("A publish that is interrupted while the daemon is not running ends at once")
    func interruptedWithoutDaemon() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t"])
            var (lines, errors) = (tool.lines.makeAsyncIterator(), tool.errors.makeAsyncIterator())
            _ = try await lines.required()
            await daemon.leave()
            _ = try await errors.required()
            tool.interrupt()
            #expect(await tool.result.status == 0)
        }
    }

    @Test("The end of the bus ends publish, with or without a daemon", arguments: [true, false])
    func endOfTheBus(isThere: Bool) async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t"])
            var (lines, errors) = (tool.lines.makeAsyncIterator(), tool.errors.makeAsyncIterator())
            _ = try await lines.required()
            if !isThere {
                await daemon.leave()
                _ = try await errors.required()
            }
            await bus.stop()
            let result = await tool.result
            #expect(
                result.status == 69 && result.error.contains("baton: The connection to the session bus has ended."),
                "\(result)")
        }
    }

    @Test("If the daemon ends before the streams have begun, publish --once ends")
    func daemonEndsBeforeStreams() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(
                on: bus, ["publish", "--type", "org.example.t", "--once", "--stream-from", "/dev/null"])
            var lines = tool.lines.makeAsyncIterator()
            _ = try await lines.required()
            await daemon.beContinued("a1", on: "bb", called: "sofa")
            #expect(try await lines.required() == "continued on sofa")
            await daemon.leave()
            let result = await tool.result
            #expect(result.status == 69 && result.failedInOneLine, "\(result)")
        }
    }
}
