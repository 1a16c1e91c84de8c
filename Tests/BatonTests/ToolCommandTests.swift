// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ToolCommandTests {
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

    @Test("Status warns of different versions of daemon and tool, and says what to do")
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

    @Test("A device is stopped for an hour and allowed again, and all lists of devices show it")
    func deviceIsStopped() async throws {
        try await FakeDaemon.with { _, bus in
            let stopped = try await Tool.run(on: bus, ["stop", "sofa"])
            #expect(stopped.output.hasPrefix("sofa (bb) gets nothing from here until 2033-05-1"), "\(stopped)")
            for list in [["devices"], ["status"], []] {
                let listed = try await Tool.run(on: bus, list)
                #expect(listed.output.contains("gets nothing from here until 2033"), "\(listed)")
                #expect(listed.output.contains("'baton stop --undo bb' ends that"), "\(listed)")
            }
            for outcome in ["gets again what it asks for", "was not stopped"] {
                let allowed = try await Tool.run(on: bus, ["stop", "--undo", "sofa"])
                #expect(allowed.output == "sofa (bb) \(outcome)\n", "\(allowed)")
            }
            let stranger = try await Tool.run(on: bus, ["stop", "attic"])
            #expect(stranger.status != 0 && stranger.failedInOneLine, "\(stranger)")
        }
    }

    @Test("The history is listed and erased")
    func historyIsListed() async throws {
        try await FakeDaemon.with { _, bus in
            let listed = try await Tool.run(on: bus, ["history"])
            #expect(listed.output.contains("  sofa  org.example.Notes  org.example.note  (3 times since "), "\(listed)")
            #expect(try await Tool.run(on: bus, ["history", "--forget"]).output == "the history is empty\n")
            let empty = try await Tool.run(on: bus, ["history"])
            #expect(empty.output == "nothing has left this laptop, as far as the history goes\n", "\(empty)")
            #expect(try await Tool.run(on: bus, ["history", "--json"]).output == "[]\n")
            let both = try await Tool.run(on: bus, ["history", "--json", "--forget"])
            #expect(both.status == 64 && both.failedInOneLine, "\(both)")
        }
    }

    @Test("Ping shows which device answers, over which transport, and how fast")
    func pingSaysHowFast() async throws {
        try await FakeDaemon.with { daemon, bus in
            let several = try await Tool.run(on: bus, ["ping", "sofa", "--count", "2"])
            #expect(
                several.output == """
                    "sofa" answers over l2cap in 12 ms, and 480 ms after Baton began to connect.
                    "sofa" answers over l2cap in 14 ms.
                    2 answers: 12 ms to 14 ms, 13 ms on average.

                    """, "\(several)")
            #expect(try await Tool.run(on: bus, ["ping", "sofa"]).output == "\"sofa\" answers over l2cap in 16 ms.\n")
            let away = try await Tool.run(on: bus, ["ping", "desk"])
            #expect(away.status == 68 && away.error == "baton: desk: it is out of reach\n", "\(away)")
            for count in ["0", "1001", "x"] {
                let wrong = try await Tool.run(on: bus, ["ping", "sofa", "--count", count])
                #expect(wrong.status == 64 && wrong.failedInOneLine, "\(wrong)")
            }
        }
    }

    @Test("A ping in both directions shows which device hears and reaches which")
    func pingEachWay() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.becomeUnheard()
            let probe = try await Tool.run(on: bus, ["ping", "sofa", "--each-way"])
            #expect(
                probe.output == """
                    "sofa" answers over l2cap in 12 ms, and 480 ms after Baton began to connect.
                    This laptop hears "sofa" by radio, at -52 dBm.
                    "sofa" does not hear this laptop by radio.
                    l2cap reaches "sofa" from here in 240 ms.
                    tcp does not reach "sofa" from here. "sofa" does not answer over the network. \
                    Check the firewalls of both laptops, or use another network.
                    l2cap reaches this laptop from "sofa" in 240 ms.

                    """, "\(probe)")
            for count in ["1", "2"] {
                let wrong = try await Tool.run(on: bus, ["ping", "sofa", "--each-way", "--count", count])
                #expect(wrong.status == 64 && wrong.error.contains("leave --count out"), "\(wrong)")
            }
        }
    }

    @Test("Doctor finds no fault in a device that was probed too often")
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
            #expect(text.output == "aa  desk  (this laptop)\nbb  sofa  near, connected over l2cap\n")
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
            #expect(try await Tool.run(on: bus, ["lan", "here"]).output == "this network is known now\n")
            #expect(try await Tool.run(on: bus, ["lan", "here"]).output == "this network was known already\n")
            #expect(try await Tool.run(on: bus, ["leave"]).output == "left the circle; told sofa\n")
            #expect(try await Tool.run(on: bus, ["remove", "nobody"]).failedInOneLine)
        }
    }

    @Test("A renaming that took effect succeeds, even if a later call fails")
    func renamingThatTookEffect() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.failAfterRenaming(BatonError(.failed, appMessage: "it is ending"))
            let renamed = try await Tool.run(on: bus, ["rename", "lap"])
            #expect(renamed.status == 0 && renamed.output == "this device is lap now\n", "\(renamed)")
            #expect(renamed.error.isEmpty, "\(renamed)")
        }
    }

    @Test("The tool without a command shows an overview")
    func batonAloneShowsHowThingsAre() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(
                OfferSummary(
                    offer: "1", device: "bb", deviceName: "sofa", type: "t", signal: -47, supportsStreams: true))
            let shown = try await Tool.run(on: bus, [])
            #expect(
                shown.status == 0 && shown.output.hasPrefix("This laptop, \"desk\", is paired with:\n  sofa  near"),
                "\(shown)")
            #expect(shown.output.contains("\"baton continue\" shows what they hold:\n  sofa  t  -47 dBm  streams\n"))
            await daemon.leave()
            let none = try await Tool.run(on: bus, [])
            #expect(none.status == 69 && none.failedInOneLine, "\(none)")
        }
    }

    /// Each call to a daemon that hangs would make the user wait longer.
    @Test(
        "A daemon that does not answer is asked only once",
        arguments: [["open"], ["continue"], ["nearby"], ["publish", "--type", "t"]])
    func daemonNotAskedAgain(arguments: [String]) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.endWhenAsked()
            let unanswered = try await Tool.run(on: bus, arguments)
            #expect(unanswered.status == 69 && unanswered.failedInOneLine, "\(unanswered)")
            #expect(unanswered.error.contains("did not answer in time"), "\(unanswered)")
        }
    }

    @Test(
        "On a terminal, a command that cannot be undone asks first",
        arguments: [
            (["leave"], "leave the circle of sofa? (yes or no)\n"),
            (["remove", "sofa"], "remove sofa (bb) from the circle, for good? (yes or no)\n"),
        ])
    func whatCannotBeUndone(arguments: [String], question: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            let unknown = try await Tool(on: bus, ["remove", "attic"], typed: "yes\n").result
            #expect(
                unknown.status == 67 && unknown.error.contains("None of your laptops is called \"attic\"."),
                "\(unknown)")
            // Control-D, the end of the input, means no.
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

    @Test("Without a circle each command reports the same error")
    func withoutACircle() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.loseCircle()
            for arguments in [
                ["devices"], ["nearby"], ["nearby", "--wait", "86400"], ["open"], ["continue", "--from", "sofa"],
            ] {
                let none = try await Tool.run(on: bus, arguments)
                #expect(none.status == 78, "\(arguments): \(none)")
                #expect(none.error == "baton: \(FakeDaemon.withoutCircleText)\n")
            }
            let watching = try await Tool.run(on: bus, ["nearby", "--watch", "--wait", "0.01"])
            #expect(watching.error.hasPrefix("baton: warning: \"sofa\" has removed this laptop"), "\(watching)")
        }
    }

    @Test("A device that is removed while it waits for an offer reports the removal")
    func removedMeanwhile() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.removeWhenListed()
            let removed = try await Tool.run(on: bus, ["nearby", "--wait", "0.01"])
            #expect(removed.status == 78 && removed.error == "baton: \(FakeDaemon.withoutCircleText)\n", "\(removed)")
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
}
