// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct ToolOfferTests {
    private static let offer = OfferSummary(
        offer: "1", device: "bb", deviceName: "sofa", type: "t", signal: -47, supportsStreams: true)

    @Test("Open without an argument continues the best offer, or asks on a terminal")
    func openWithoutAWord() async throws {
        try await FakeDaemon.with { daemon, bus in
            let none = try await Tool.run(on: bus, ["open"])
            #expect(
                none.status == 75 && none.error == "baton: no offer was seen; see what there is with: baton nearby\n",
                "\(none)")
            await daemon.appear(Self.offer)
            #expect(try await Tool.run(on: bus, ["open"]).output == "continued in org.example.App\n")
            _ = try await Tool.run(on: bus, ["continue"])
            var calls = daemon.calls.makeAsyncIterator()
            #expect(try await calls.required() == .continued(Self.offer.offer))
            let page = OfferSummary(offer: "page", device: "bb", deviceName: "sofa", type: "u", hasWebpage: true)
            await daemon.appear(page)
            let several = try await Tool.run(on: bus, ["open"])
            #expect(several.status == 64 && several.error.contains("2 offers fit"), "\(several)")
            await daemon.show(PanelStatus(state: .running, bestOffer: page))
            #expect(try await Tool.run(on: bus, ["open"]).output == "opened in the browser: https://example.org/\n")
            // On a terminal the user chooses.
            let chosen = try await Tool(on: bus, ["open", "--no-progress"], typed: "3\n1\n").result
            #expect(chosen.output == "continued in org.example.App\n", "\(chosen)")
            #expect(
                chosen.error == "1  sofa  t  -47 dBm  streams\n2  sofa  u  page\nwhich one? (1 to 2)\n"
                    + "please answer with a number from 1 to 2\n", "\(chosen)")
        }
    }

    @Test("Open and continue accept a device's name, but an offer's id comes first")
    func openTakesADevicesName() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            var elsewhere = Self.offer
            (elsewhere.offer, elsewhere.device, elsewhere.deviceName) = ("sofa", "cc", "attic")
            var calls = daemon.calls.makeAsyncIterator()
            for word in ["sofa", "bb"] {
                #expect(try await Tool.run(on: bus, ["open", word]).output == "continued in org.example.App\n")
                _ = try await Tool.run(on: bus, ["continue", word])
                #expect(try await calls.required() == .continued(Self.offer.offer))
            }
            // An offer's id comes first, whatever the devices' names.
            await daemon.appear(elsewhere)
            _ = try await Tool.run(on: bus, ["continue", "sofa"])
            #expect(try await calls.required() == .continued("sofa"))
            let none = try await Tool.run(on: bus, ["open", "attic"])
            #expect(none.status == 75 && none.failedInOneLine, "\(none)")
        }
    }

    @Test("A device has no offers for itself, and the error about such a request says so")
    func nothingOfferedToItself() async throws {
        try await FakeDaemon.with { _, bus in
            for arguments in [["open", "desk"], ["open", "aa"], ["open", "AA"], ["continue", "--from", "desk"]] {
                let own = try await Tool.run(on: bus, arguments)
                #expect(own.status == 64 && own.failedInOneLine, "\(own)")
                #expect(own.error.contains("\(arguments.last ?? "") is this device, which offers nothing to itself"))
            }
        }
    }

    /// Control-C ends the choice before a line was typed.
    @Test("A signal ends the choice among offers")
    func choiceIsEndedByASignal() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            await daemon.appear(OfferSummary(offer: "2", device: "bb", deviceName: "sofa", type: "u"))
            let asking = try await Tool(on: bus, ["open"], typed: "9\n")
            var lines = asking.errors.makeAsyncIterator()
            while try await lines.required() != "please answer with a number from 1 to 2" {}
            asking.interrupt()
            #expect(await asking.result.status == 130)
        }
    }

    @Test(
        "A signal ends the watching of offers, which does not count as a failure",
        arguments: [["nearby", "--watch"], ["nearby", "--watch", "--wait", "300", "--json"]])
    func watchingIsEndedByASignal(arguments: [String]) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let watching = try await Tool(on: bus, arguments)
            var lines = watching.lines.makeAsyncIterator()
            _ = try await lines.required()
            watching.interrupt()
            let ended = await watching.result
            #expect(ended.status == 0 && ended.error.isEmpty, "\(ended)")
        }
    }

    @Test("A program that waits for an offer learns the offer's type")
    func waiterIsToldTheType() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: nil))
            let waiting = try await Tool(on: bus, ["nearby", "--wait", "60"])
            let other = try await Tool.run(on: bus, ["nearby"])
            #expect(other.output.contains("(unknown)"), "\(other)")
            await daemon.appear(OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: "org.example.t"))
            let told = await waiting.result
            #expect(told.status == 0 && told.output.contains("org.example.t"), "\(told)")
        }
    }

    @Test("The errors for a missing app and a failing app differ")
    func appNotInstalled() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(OfferSummary(offer: "failing", device: "aa", deviceName: "sofa", type: "t"))
            let unknown = try await Tool.run(on: bus, ["open", "--app", "org.example.Nobody"])
            #expect(unknown.status == 67 && unknown.failedInOneLine, "\(unknown)")
            #expect(unknown.error.contains("no app org.example.Nobody is installed here"), "\(unknown)")
            let failed = try await Tool.run(on: bus, ["open"])
            #expect(failed.status != 67 && failed.error.contains("it failed"), "\(failed)")
        }
    }

    @Test("Nearby waits for the first offer")
    func nearbyWaitsForTheFirstOffer() async throws {
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

    @Test("Continue prints the activity and its streams")
    func activityAndItsStreams() async throws {
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
                        directory.appending(path: "from").path(), "--stream-to", target.path(), "--force",
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

    @Test("Continue chooses again if the offer disappears before it is requested")
    func continueChoosesAgain() async throws {
        try await FakeDaemon.with { daemon, bus in
            // The offer is listed, but no longer exists when it is requested.
            await daemon.appear(Self.offer)
            let tool = try await Tool(on: bus, ["continue", "--type", "t", "--wait", "200"])
            var calls = daemon.calls.makeAsyncIterator()
            #expect(try await calls.required() == .continued("1"))
            await daemon.disappear("1")
            var later = Self.offer
            later.offer = "2"
            await daemon.appear(later, activity: ActivityState(activityType: "t", title: "T"))
            let result = await tool.result
            #expect(result.status == 0 && result.output.contains("title: T"), "\(result)")
            await daemon.appear(Self.offer)
            let named = try await Tool.run(on: bus, ["continue", "1", "--wait", "200"])
            #expect(named.failedInOneLine && named.error.contains("no offer 1"), "\(named)")
        }
    }

    @Test("A broken stream fails continue, and leaves no file")
    func brokenStreamLeavesNoFile() async throws {
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

    @Test("Continue declines an activity without streams if streams are required")
    func continueWithoutStreams() async throws {
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

/// Sends all bytes back until the end, then ends its own direction, and returns the bytes.
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
