// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct ToolCommandTests {
    private static let offer = OfferSummary(
        offer: "1", device: "bb", deviceName: "sofa", type: "t", signal: -47, supportsStreams: true)

    @Test func statusIsShownForPeopleAndPrograms() async throws {
        try await FakeDaemon.with { daemon, bus in
            let text = try await Tool.run(on: bus, ["status"])
            #expect(text.status == 0)
            #expect(text.output.contains("device   desk  aa\n"))
            let json = try await Tool.run(on: bus, ["status", "--json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(object?["radio"] as? String == "simulated")
            #expect((object?["members"] as? [Any])?.count == 2)
        }
    }

    @Test func devicesAreListedRenamedRemovedAndLeft() async throws {
        try await FakeDaemon.with { daemon, bus in
            let text = try await Tool.run(on: bus, ["devices"])
            #expect(text.output == "aa  desk  (this device)\nbb  sofa\n")
            let json = try await Tool.run(on: bus, ["devices", "--json"])
            let list = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
            #expect(list?.map { $0["device"] as? String } == ["desk", "sofa"])
            #expect(try await Tool.run(on: bus, ["rename", "lap"]).output == "this device is lap now\n")
            #expect(
                try await Tool.run(on: bus, ["remove", "sofa"]).output
                    == "removed sofa (bb)\n"
                    + "desk (aa) came into the circle by way of it, and stays; if that was not you: baton remove aa\n")
            #expect(try await Tool.run(on: bus, ["leave"]).output == "left the circle; told sofa\n")
            #expect(try await Tool.run(on: bus, ["remove", "nobody"]).failedInOneLine)
        }
    }

    @Test func pairingShowsDigitsAndTakesTheAnswerFromStandardInput() async throws {
        try await FakeDaemon.with { daemon, bus in
            let yes = try await Tool.run(on: bus, ["pair"], input: "what\nYes\n")
            #expect(yes.status == 0)
            #expect(yes.output.contains("the digits: 012 345\n"))
            #expect(yes.output.contains("please answer yes or no\n"))
            #expect(yes.output.hasSuffix("paired: your circle is this laptop and sofa\n"))
        }
        // A no, and an end of the input, are a no.
        for input in ["no\n", ""] {
            try await FakeDaemon.with { daemon, bus in
                let no = try await Tool.run(on: bus, ["pair", "--address", "192.0.2.7:1"], input: input)
                #expect(no.failedInOneLine && no.error.contains("not the same"))
            }
        }
    }

    @Test func everyFailureIsOneLineOnStandardErrorAndAFailingStatus() async throws {
        try await FakeDaemon.with { daemon, bus in
            for arguments in [
                ["nonsense"], ["continue"], ["publish"], ["continue", "9"], ["circle", "join", "/nonexistent"],
                ["nearby", "--wait", "0.01"], ["publish", "--type", "org.example.t", "--info-json", "/nonexistent"],
                ["publish", "--type", "org.example.t", "--stream-from", "/nonexistent"],
                ["circle", "invite", "/nonexistent/x"],
                ["continue", "--type", "t", "--wait", "0.01"],
            ] {
                let result = try await Tool.run(on: bus, arguments)
                #expect(result.failedInOneLine, "\(arguments): \(result)")
                #expect(result.output.isEmpty)
            }
            await daemon.leave()
            for arguments in [["status"], ["nearby"], ["publish", "--type", "org.example.t"], ["circle", "create"]] {
                let result = try await Tool.run(on: bus, arguments)
                #expect(result.failedInOneLine, "\(arguments): \(result)")
                #expect(result.error.contains("batond"))
            }
        }
    }

    @Test func invitationIsWrittenOnceAndPrivately() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let path = directory.appending(path: "invitation").path()
                let first = try await Tool.run(on: bus, ["circle", "invite", path])
                #expect(first.status == 0)
                #expect(first.output.hasPrefix("wrote \(path), valid until 20"))
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "secret\n")
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                let second = try await Tool.run(on: bus, ["circle", "invite", path])
                #expect(second.failedInOneLine)
                let joined = try await Tool.run(on: bus, ["circle", "join", path])
                #expect(joined.output == "joined circle cc as sofa, with desk\n")
            }
        }
    }

    @Test func nearbyWaitsForTheFirstOffer() async throws {
        try await FakeDaemon.with { daemon, bus in
            let none = try await Tool.run(on: bus, ["nearby", "--json", "--wait", "0.01"])
            #expect(none.status != 0)
            #expect(none.output.filter { !$0.isWhitespace } == "[]")
            let waiting = try await Tool(on: bus, ["nearby", "--json", "--wait", "60"])
            await daemon.appear(Self.offer)
            let some = await waiting.result
            #expect(some.status == 0)
            let list = try JSONSerialization.jsonObject(with: Data(some.output.utf8)) as? [[String: Any]]
            #expect(list?.first?["offer"] as? String == "1")
            #expect(list?.first?["signal"] as? Int == -47)
            let watching = try await Tool(on: bus, ["nearby", "--watch", "--json"])
            var lines = watching.lines.makeAsyncIterator()
            #expect(try await lines.required().contains(#""event":"appeared""#))
            await daemon.disappear("1")
            #expect(try await lines.required() == #"{"event":"disappeared","offer":"1"}"#)
            watching.interrupt()
            _ = await watching.result
        }
    }

    @Test func continueGivesTheActivityAndItsStreams() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                var state = ActivityState(
                    activityType: "t", title: "T", userInfo: ["a": .data(Data([1])), .int(1): .null],
                    webpageURL: URL(string: "https://example.org/"))
                state.supportsContinuationStreams = true
                await daemon.appear(Self.offer, activity: state)
                let sent = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
                try sent.write(to: directory.appending(path: "from"))
                let target = directory.appending(path: "to")
                try Data("old".utf8).write(to: target)
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path())
                let tool = try await Tool(
                    on: bus,
                    [
                        "continue", "--type", "t", "--from", "sofa", "--json", "--stream-from",
                        directory.appending(path: "from").path(), "--stream-to", target.path(),
                    ])
                var calls = daemon.calls.makeAsyncIterator()
                #expect(try await calls.required() == .continued("1"))
                #expect(try await calls.required() == .accepted("c1", true))
                #expect(try await calls.required() == .openedStreams("c1"))
                let end = try #require(await daemon.streamEnds["sc1"])
                #expect(await echo(end) == sent)
                #expect(try Data(contentsOf: target) == Data("old".utf8))
                await daemon.endStream("sc1")
                let result = await tool.result
                #expect(result.status == 0, "\(result)")
                #expect(try Data(contentsOf: target) == sent)
                let attributes = try FileManager.default.attributesOfItem(atPath: target.path())
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
                let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
                #expect(object?["transport"] as? String == "simulated")
                #expect(object?["streamTransport"] as? String == "l2cap")
                #expect(object?["title"] as? String == "T")
                #expect((object?["userInfo"] as? [String: Any])?.keys.first == "$dictionary")
                let plain = try await Tool.run(on: bus, ["continue", "1", "--json"])
                #expect(plain.output.contains(#""streamTransport" : null"#))
            }
        }
    }

    @Test func streamThatBreaksFailsContinueAndLeavesNoFile() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                var state = ActivityState(activityType: "t")
                state.supportsContinuationStreams = true
                await daemon.appear(Self.offer, activity: state)
                let tool = try await Tool(
                    on: bus, ["continue", "1", "--stream-to", directory.appending(path: "to").path()])
                var calls = daemon.calls.makeAsyncIterator()
                while try await calls.required() != .openedStreams("c1") {}
                let end = try #require(await daemon.streamEnds["sc1"])
                _ = [UInt8](repeating: 1, count: 100).withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
                close(end)
                await daemon.endStream("sc1", error: "the other device vanished; go nearer and continue again")
                let result = await tool.result
                #expect(result.failedInOneLine, "\(result)")
                #expect(result.error.contains("the other device vanished"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path()).isEmpty)
            }
        }
    }

    @Test func continueDeclinesWhatHasNoStreamsWhenTheyAreWanted() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer, activity: ActivityState(activityType: "t"))
            let result = try await Tool.run(on: bus, ["continue", "1", "--stream-to", "-"])
            #expect(result.failedInOneLine)
            var calls = daemon.calls.makeAsyncIterator()
            #expect(try await calls.required() == .continued("1"))
            #expect(try await calls.required() == .accepted("c1", false))
        }
    }
}

/// Sends back what comes until its end, then ends too; gives what came.
private func echo(_ descriptor: Int32) async -> Data {
    await withCheckedContinuation { waiting in
        Thread.detachNewThread {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                all += buffer[..<count]
            }
            var sent = 0
            while sent < all.count {
                let count = all[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                sent += count
            }
            close(descriptor)
            waiting.resume(returning: Data(all))
        }
    }
}
