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

    @Test("The status is shown for people, and as JSON for programs")
    func statusIsShown() async throws {
        try await FakeDaemon.with { daemon, bus in
            let text = try await Tool.run(on: bus, ["status"])
            #expect(text.status == 0)
            #expect(text.output.contains("device   desk  aa\n"))
            let json = try await Tool.run(on: bus, ["status", "--json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(object?["radio"] as? String == "simulated")
            #expect(object?["device"] as? String == "aa" && object?["deviceName"] as? String == "desk")
            let members = object?["members"] as? [[String: Any]]
            #expect(members?.map { $0["device"] as? String } == ["aa", "bb"])
            #expect(members?.map { $0["deviceName"] as? String } == ["desk", "sofa"])
            #expect(members?.map { $0["near"] as? Bool } == [false, true])
            #expect(text.output.contains("member   sofa  bb  near, connected over l2cap\n"))
        }
    }

    @Test("Status says that daemon and tool are of different versions, and what to do")
    func statusOfTwoVersions() async throws {
        try await FakeDaemon.with { daemon, bus in
            func first() async throws -> Substring? {
                try await Tool.run(on: bus, ["status"]).output.split(separator: "\n").first
            }
            let tool = BatonVersion.current
            #expect(try await first() == "daemon   1.0; this baton is \(tool): run systemctl --user restart batond")
            let json = try await Tool.run(on: bus, ["status", "--json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(object?["version"] as? String == "1.0" && object?["toolVersion"] as? String == tool)
            await daemon.be(ofVersion: tool)
            #expect(try await first() == "daemon   \(tool)")
        }
    }

    @Test("Ping says what answers, over what and how fast")
    func pingSaysHowFast() async throws {
        try await FakeDaemon.with { daemon, bus in
            let several = try await Tool.run(on: bus, ["ping", "sofa", "--count", "2"])
            #expect(
                several.output == """
                    sofa answers over l2cap in 12 ms, 480 ms after it began to connect
                    sofa answers over l2cap in 14 ms
                    2 answers, in 12 ms to 14 ms, 13 ms on average

                    """, "\(several)")
            #expect(try await Tool.run(on: bus, ["ping", "sofa"]).output == "sofa answers over l2cap in 16 ms\n")
            let away = try await Tool.run(on: bus, ["ping", "desk"])
            #expect(away.status == 68 && away.error == "baton: desk: it is out of reach\n", "\(away)")
            for count in ["0", "1001", "x"] {
                let wrong = try await Tool.run(on: bus, ["ping", "sofa", "--count", count])
                #expect(wrong.status == 64 && wrong.failedInOneLine, "\(wrong)")
            }
        }
    }

    @Test("A ping each way says who hears and reaches whom")
    func pingEachWay() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.becomeUnheard()
            let probe = try await Tool.run(on: bus, ["ping", "sofa", "--each-way"])
            #expect(
                probe.output == """
                    sofa answers over l2cap in 12 ms, 480 ms after it began to connect
                    this device hears sofa by radio, at -52 dBm
                    sofa does not hear this device by radio
                    l2cap leads from here to sofa in 240 ms
                    tcp does not lead from here to sofa: nobody answers
                    l2cap leads from sofa to here in 240 ms

                    """, "\(probe)")
            let wrong = try await Tool.run(on: bus, ["ping", "sofa", "--each-way", "--count", "2"])
            #expect(wrong.status == 64 && wrong.error.contains("leave --count out"), "\(wrong)")
        }
    }

    @Test("Doctor finds no fault in a device that was asked often")
    func doctorAndABusyDevice() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.becomeTired()
            let doctor = try await Tool.run(on: bus, ["doctor", "devices"])
            #expect(doctor.status == 0 && doctor.error.contains("was not asked again"), "\(doctor)")
        }
    }

    @Test("Devices are listed, renamed and removed, and their circle is left")
    func devicesAndTheirCircle() async throws {
        try await FakeDaemon.with { daemon, bus in
            let text = try await Tool.run(on: bus, ["devices"])
            #expect(text.output == "aa  desk  (this device)\nbb  sofa  near, connected over l2cap\n")
            let json = try await Tool.run(on: bus, ["devices", "--json"])
            let list = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
            #expect(list?.map { $0["device"] as? String } == ["aa", "bb"])
            #expect(list?.map { $0["deviceName"] as? String } == ["desk", "sofa"])
            #expect(list?.map { $0["near"] as? Bool } == [false, true])
            #expect(list?.last?["lastSeen"] as? String == "2033-05-18T03:33:20Z")
            #expect(list?.last?["transports"] as? [String] == ["l2cap"])
            let renamed = try await Tool.run(on: bus, ["rename", "lap"])
            #expect(renamed.output == "this device is lap now\n" && renamed.error.isEmpty, "\(renamed)")
            let same = try await Tool.run(on: bus, ["rename", "sofa"])
            #expect(same.status == 0 && same.output == "this device is sofa now\n", "\(same)")
            #expect(same.error.contains("another device is called sofa too"), "\(same)")
            for own in ["desk", "aa"] {
                let refused = try await Tool.run(on: bus, ["remove", own])
                #expect(refused.failedInOneLine && refused.error.contains("baton leave"), "\(refused)")
            }
            #expect(
                try await Tool.run(on: bus, ["remove", "sofa"]).output
                    == "removed sofa (bb)\n"
                    + "desk (aa) came into the circle by way of it, and stays; if that was not you: baton remove aa\n")
            #expect(try await Tool.run(on: bus, ["leave"]).output == "left the circle; told sofa\n")
            #expect(try await Tool.run(on: bus, ["remove", "nobody"]).failedInOneLine)
        }
    }

    @Test("A renaming that took effect is no failure, whatever comes after it")
    func renamingThatTookEffect() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.failAfterRenaming(BatonError(.failed, "it is ending"))
            let renamed = try await Tool.run(on: bus, ["rename", "lap"])
            #expect(renamed.status == 0 && renamed.output == "this device is lap now\n", "\(renamed)")
            #expect(renamed.error.isEmpty, "\(renamed)")
        }
    }

    @Test("The tool alone, without a command, shows how things are")
    func batonAloneShowsHowThingsAre() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let shown = try await Tool.run(on: bus, [])
            #expect(
                shown.status == 0 && shown.output.hasPrefix("This device, desk, is in a circle with:\n  sofa  near"),
                "\(shown)")
            #expect(shown.output.contains("baton continue shows:\n  sofa  t  -47 dBm  streams\n"))
            await daemon.leave()
            let none = try await Tool.run(on: bus, [])
            #expect(none.status == 69 && none.failedInOneLine, "\(none)")
        }
    }

    @Test("Open without a word takes the only offer or the best; on a terminal its user chooses")
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
            // On a terminal its user chooses.
            let chosen = try await Tool(on: bus, ["open", "--no-progress"], typed: "3\n1\n").result
            #expect(chosen.output == "continued in org.example.App\n", "\(chosen)")
            #expect(
                chosen.error == "1  sofa  t  -47 dBm  streams\n2  sofa  u  page\nwhich one? (1 to 2)\n"
                    + "please answer with a number from 1 to 2\n", "\(chosen)")
        }
    }

    @Test("Open and continue take a device's name, too; an offer's id comes first")
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
            // An offer's id comes first, whatever devices call themselves.
            await daemon.appear(elsewhere)
            _ = try await Tool.run(on: bus, ["continue", "sofa"])
            #expect(try await calls.required() == .continued("sofa"))
            let none = try await Tool.run(on: bus, ["open", "attic"])
            #expect(none.status == 75 && none.failedInOneLine, "\(none)")
        }
    }

    @Test("A device offers nothing to itself, and who asks it to is told so")
    func nothingOfferedToItself() async throws {
        try await FakeDaemon.with { _, bus in
            for arguments in [["open", "desk"], ["open", "aa"], ["open", "AA"], ["continue", "--from", "desk"]] {
                let own = try await Tool.run(on: bus, arguments)
                #expect(own.status == 64 && own.failedInOneLine, "\(own)")
                #expect(own.error.contains("\(arguments.last ?? "") is this device, which offers nothing to itself"))
            }
        }
    }

    /// One that hangs would keep the user waiting for each of the answers.
    @Test(
        "A daemon that does not answer is not asked again",
        arguments: [["open"], ["continue"], ["nearby"], ["publish", "--type", "t"]])
    func daemonNotAskedAgain(arguments: [String]) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.endWhenAsked()
            let unanswered = try await Tool.run(on: bus, arguments)
            #expect(unanswered.status == 69 && unanswered.failedInOneLine, "\(unanswered)")
            #expect(unanswered.error.contains("did not answer in time"), "\(unanswered)")
        }
    }

    /// Control-C ends it though nobody has typed a line.
    @Test("A choice among offers is ended by a signal")
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
        "Watching the offers is ended by a signal, and that is no failure",
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

    @Test("Who waits for an offer is told its type")
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

    @Test("An app that is not installed is told from one that fails")
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

    @Test(
        "What cannot be undone is asked about on a terminal",
        arguments: [
            (["leave"], "leave the circle of sofa? (yes or no)\n"),
            (["remove", "sofa"], "remove sofa (bb) from the circle, for good? (yes or no)\n"),
        ])
    func whatCannotBeUndone(arguments: [String], question: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            let unknown = try await Tool(on: bus, ["remove", "attic"], typed: "yes\n").result
            #expect(unknown.status == 67 && unknown.error.contains("there is no other device attic"), "\(unknown)")
            // The end of what is typed, by Control-D, is a no.
            for typed in ["no\n", "\u{4}"] {
                let no = try await Tool(on: bus, arguments, typed: typed).result
                #expect(no.status == 77 && no.output.isEmpty, "\(no)")
                #expect(no.error == question + "baton: nothing was done\n", "\(no)")
            }
            let asking = try await Tool(on: bus, arguments, typed: "")
            var lines = asking.errors.makeAsyncIterator()
            #expect(try await lines.required() + "\n" == question)
            asking.interrupt()
            let interrupted = await asking.result
            #expect(interrupted.status == 130, "\(interrupted)")
            #expect(interrupted.error == question + "baton: interrupted; nothing was done\n", "\(interrupted)")
            #expect(await daemon.farewells == 0)
            let yes = try await Tool(on: bus, arguments, typed: "what\n Yes\n").result
            #expect(yes.status == 0 && yes.error == question + "please answer yes or no\n", "\(yes)")
            let told = try await Tool(on: bus, arguments + ["--yes"], typed: "").result
            #expect(told.status == 0 && told.error.isEmpty && told.output == yes.output, "\(told)")
            #expect(await daemon.farewells == 2)
        }
    }

    @Test("Pairing shows digits, and takes the answer from standard input")
    func pairingShowsDigits() async throws {
        try await FakeDaemon.with { daemon, bus in
            let yes = try await Tool.run(on: bus, ["pair"], input: "what\nYes\n")
            #expect(yes.status == 0)
            #expect(yes.output.contains("the digits: 012 345\n"))
            #expect(yes.output.contains("run this on the other laptop too: baton pair\n"), "\(yes)")
            #expect(yes.output.contains("please answer yes or no\nwaiting for the other laptop's yes\n"), "\(yes)")
            #expect(yes.output.hasSuffix("paired: your circle is this laptop and sofa\n"))
        }
        // A no, and an end of the input, are a no.
        for input in ["no\n", ""] {
            try await FakeDaemon.with { daemon, bus in
                let no = try await Tool.run(on: bus, ["pair", "--address", "192.0.2.7:1"], input: input)
                #expect(no.status == 77 && no.failedInOneLine && no.error.contains("not the same"), "\(no)")
                #expect(!no.output.contains("waiting for"), "\(no)")
            }
        }
    }

    @Test("Pairing is ended by a signal")
    func pairingIsEndedByASignal() async throws {
        try await FakeDaemon.with { daemon, bus in
            let pairing = try await Tool(on: bus, ["pair", "--address", "192.0.2.7:1"], typed: "")
            var lines = pairing.lines.makeAsyncIterator()
            #expect(
                try await lines.required()
                    == "trying 192.0.2.7:1, for two minutes at most; run on the other laptop: baton pair")
            while try await !lines.required().hasPrefix("does the other laptop show the same?") {}
            pairing.interrupt()
            let ended = await pairing.result
            #expect(ended.status == 130 && ended.failedInOneLine, "\(ended)")
            #expect(
                ended.error.contains("in a minute or more, 'baton pair --qr' works until then"), "\(ended)")
        }
    }

    @Test("What is refused is said before anybody goes to the other laptop")
    func refusedBeforeOtherLaptop() async throws {
        try await FakeDaemon.with { daemon, bus in
            for address in ["sofa", "sofa:4711", "192.0.2.7"] {
                let wrong = try await Tool.run(on: bus, ["pair", "--address", address])
                #expect(wrong.status == 64 && wrong.failedInOneLine && wrong.output.isEmpty, "\(wrong)")
                #expect(wrong.error.contains("--address: an IP address and a port"), "\(wrong)")
            }
            let anew = try await Tool.run(on: bus, ["pair", "--anew"], input: "yes\n")
            #expect(anew.status == 0 && anew.error.isEmpty, "\(anew)")
            #expect(anew.output.hasPrefix("run this on the other laptop: baton pair\n"), "\(anew)")
            await daemon.loseCircle()
            let nothing = try await Tool.run(on: bus, ["pair", "--anew"], input: "yes\n")
            #expect(nothing.status == 0 && nothing.error.contains("in no circle to come back to"), "\(nothing)")
            let devices = try await Tool.run(on: bus, ["devices", "--json"])
            #expect(devices.status == 78 && devices.output.hasPrefix("["), "\(devices)")
            await daemon.loseCircle(refusingToPair: "pairing by digits failed; wait")
            for arguments in [["pair"], ["pair", "--address", "192.0.2.7:1"]] {
                let refused = try await Tool.run(on: bus, arguments)
                #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
                #expect(refused.error == "baton: pairing by digits failed; wait\n")
            }
            // The one circle that there is cannot be used.
            await daemon.loseCircle(refusingToPair: FakeDaemon.withoutCircle)
            let none = try await Tool.run(on: bus, ["pair"])
            #expect(none.status == 78 && none.error == "baton: \(FakeDaemon.withoutCircle)\n", "\(none)")
        }
    }

    @Test("Without a circle each command says the same")
    func withoutACircle() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.loseCircle()
            for arguments in [["devices"], ["nearby"], ["open"], ["continue", "--from", "sofa"]] {
                let none = try await Tool.run(on: bus, arguments)
                #expect(none.status == 78, "\(arguments): \(none)")
                #expect(none.error == "baton: \(FakeDaemon.withoutCircle)\n")
            }
            let watching = try await Tool.run(on: bus, ["nearby", "--watch", "--wait", "0.01"])
            #expect(watching.error.hasPrefix("baton: warning: sofa removed this device"), "\(watching)")
        }
    }

    @Test("Every failure is one line on standard error and a failing status")
    func everyFailureIsOneLine() async throws {
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

    @Test("An invitation is written once, and readable for its user alone")
    func invitationIsPrivate() async throws {
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

    @Test("Continue gives the activity and its streams")
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

    @Test("Continue chooses again when the offer of the type goes before it is asked for")
    func continueChoosesAgain() async throws {
        try await FakeDaemon.with { daemon, bus in
            // It is listed, and not there for who asks.
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

    @Test("A stream that breaks fails continue, and leaves no file")
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

    @Test("Continue declines what has no streams when they are wanted")
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
