// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct ToolPublishTests {
    /// Reads the daemon's calls until the activity is invalidated.
    private func untilInvalidated(_ daemon: FakeDaemon) async throws {
        for await call in daemon.calls where call == .invalidated("a1") { return }
        throw BatonError(.failed, appMessage: "not invalidated")
    }

    @Test("Publish keeps running, reports events, and invalidates its activity at SIGINT")
    func publishStaysUntilSIGINT() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let info = directory.appending(path: "info.json")
                try Data(#"{"n":{"$double":2},"s":{"$set":[1]}}"#.utf8).write(to: info)
                let tool = try await Tool(
                    on: bus,
                    ["publish", "--type", "org.example.t", "--title", "T", "--info", "k=v", "--info-json", info.path()])
                var lines = tool.lines.makeAsyncIterator()
                #expect(try await lines.required() == "publishing org.example.t")
                let state = await daemon.activities["a1"]
                #expect(state?.userInfo == ["n": .double(2), "s": .set([.int(1)]), "k": "v"])
                #expect(state?.supportsContinuationStreams == false)
                await daemon.warn("a1", "large")
                await daemon.beContinued("a1", on: "bb", called: "sofa")
                #expect(try await lines.required() == "continued on sofa")
                await daemon.changeCurrent("a1", false)
                #expect(try await lines.required() == "not offered: another program's activity has taken its place")
                await daemon.changeCurrent("a1", true)
                #expect(try await lines.required() == "offered again")
                tool.interrupt()
                try await untilInvalidated(daemon)
                let result = await tool.result
                #expect(result.status == 0, "\(result)")
                #expect(
                    result.output
                        == "publishing org.example.t\ncontinued on sofa\nnot offered: another program's activity has taken its place\n"
                        + "offered again\nended org.example.t\n")
                #expect(result.error == "baton: warning: large\n")
            }
        }
    }

    @Test("Publish --once ends after one continuation")
    func onceEndsAfterOneContinuation() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--once"])
            var lines = tool.lines.makeAsyncIterator()
            _ = try await lines.required()
            await daemon.beContinued("a1", on: "zz", called: "den")
            #expect(try await lines.required() == "continued on den")
            try await untilInvalidated(daemon)
            #expect(await tool.result.status == 0)
        }
    }

    @Test("Publish --once fails if it is interrupted before a continuation")
    func onceInterrupted() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--once"])
            var lines = tool.lines.makeAsyncIterator()
            _ = try await lines.required()
            tool.interrupt()
            try await untilInvalidated(daemon)
            let result = await tool.result
            #expect(result.failedInOneLine, "\(result)")
        }
    }

    @Test(
        "A signal ends a wait for a daemon that does not answer",
        arguments: [
            (["publish", "--type", "org.example.t"], 130, "baton: interrupted before org.example.t was published\n"),
            (["trace", "--output", "/tmp/never"], 130, "baton: interrupted before anything was recorded\n"),
            (["serve", "--app", "org.example.Notes", "--exec", "true"], 0, nil),
        ] as [([String], Int32, String?)])
    func endsThoughNobodyAnswers(arguments: [String], status: Int32, words: String?) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.hang()
            let tool = try await Tool(on: bus, arguments)
            try await daemon.keepsWaiting()
            tool.interrupt()
            let result = await tool.result
            #expect(result.status == status && words.map { $0 == result.error } != false, "\(result)")
        }
    }

    @Test("Publish --once with streams ends with the streams, which use standard output")
    func onceWithStreams() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["publish", "--type", "org.example.t", "--once", "--stream-to", "-"])
            var calls = daemon.calls.makeAsyncIterator()
            while try await calls.required() != .becameCurrent("a1") {}
            #expect(await daemon.activities["a1"]?.supportsContinuationStreams == true)
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb", called: "sofa")
            await daemon.beContinued("a1", on: "bb", called: "sofa")
            _ = Array("hello".utf8).withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
            shutdown(end, Int32(SHUT_WR))
            await daemon.endStream("s1")
            let result = await tool.result
            close(end)
            #expect(result.status == 0, "\(result)")
            #expect(result.output == "hello")
            #expect(result.error.contains("streams finished with sofa: sent 0 bytes, received 5 bytes"))
        }
    }

    @Test(
        "Streams that cannot be served are abandoned before they close, so that they do not look complete",
        arguments: ["vanished", "used up", "exists"])
    func unservedStreams(why: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "file")
                let options = ["vanished": "--stream-from", "used up": "--stream-from", "exists": "--stream-to"]
                if why == "vanished" { try Data("contents".utf8).write(to: file) }
                let tool = try await Tool(
                    on: bus,
                    ["publish", "--type", "org.example.t"] + [try #require(options[why])]
                        + [why == "used up" ? "-" : file.path()], input: "input")
                var (lines, cancelled) = (tool.lines.makeAsyncIterator(), daemon.cancelled.makeAsyncIterator())
                #expect(try await lines.required() == "publishing org.example.t")
                switch why {
                case "vanished": try FileManager.default.removeItem(at: file)
                case "exists": try Data("mine".utf8).write(to: file)
                default:
                    let first = try await daemon.openStreams("s0", to: "a1", device: "bb", called: "sofa")
                    shutdown(first, Int32(SHUT_WR))
                    await daemon.endStream("s0")
                    while try await !lines.required().hasPrefix("streams finished") {}
                    close(first)
                }
                let end = try await daemon.openStreams("s1", to: "a1", device: "bb", called: "sofa")
                #expect(await cancelled.next() == "s1")
                close(end)
                tool.interrupt()
                _ = await tool.result
            }
        }
    }

    @Test("Publish --once fails if the stream fails")
    func onceFailsWhenTheStreamFails() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let tool = try await Tool(
                    on: bus,
                    [
                        "publish", "--type", "org.example.t", "--once", "--stream-to",
                        directory.appending(path: "to").path(),
                    ])
                var lines = tool.lines.makeAsyncIterator()
                _ = try await lines.required()
                await daemon.beContinued("a1", on: "bb", called: "sofa")
                _ = try await lines.required()
                let end = try await daemon.openStreams("s1", to: "a1", device: "bb", called: "sofa")
                #expect(try await lines.required() == "streams opened with sofa over tcp")
                close(end)
                await daemon.endStream("s1", error: "it broke")
                let result = await tool.result
                #expect(result.failedInOneLine, "\(result)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path()).isEmpty)
            }
        }
    }

    @Test("Publish ends if the daemon rejects the activity or is not running")
    func daemonRefusesOrIsNotThere() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.leave()
            let gone = try await Tool.run(on: bus, ["publish", "--type", "org.example.t"])
            #expect(gone.status == 69 && gone.failedInOneLine, "\(gone)")
        }
        try await FakeDaemon.with { daemon, bus in
            let large = try await Tool.run(on: bus, ["publish", "--type", "org.example.t", "--title", "too large"])
            #expect(large.status == 65 && large.error == "baton: the contents are too large\n", "\(large)")
        }
        try await FakeDaemon.with { daemon, bus in
            await daemon.fail(BatonError(.noCircle, appMessage: "sofa removed this device; run 'baton pair'"))
            let refused = try await Tool.run(on: bus, ["publish", "--type", "org.example.t"])
            #expect(refused.status == 78 && refused.error == "baton: sofa removed this device; run 'baton pair'\n")
        }
    }
}
