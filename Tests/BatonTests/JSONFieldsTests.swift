// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Foundation
import Testing
import UserActivity
import UserInfoJSON

@testable import baton

/// Tests that the output of `baton … --json` has exactly the fields in baton-json(5).
@Suite(.timeLimit(.minutes(5))) struct JSONFieldsTests {
    /// Returns the fields under a heading of the manual page.
    static func documented(_ heading: String) throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "Packaging/manual/baton-json.5"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: ".SH ").first { $0.hasPrefix("\(heading)\n") })
        // The line after .TP names fields in bold.
        return Set(
            section.components(separatedBy: ".TP\n").dropFirst().flatMap { paragraph in
                paragraph.prefix { $0 != "\n" }.matches(of: /\\fB(\w+)\\fR/).map { String($0.output.1) }
            })
    }

    private func parsed<Value>(_ text: String, as type: Value.Type) throws -> Value {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Value)
    }

    @Test("Each field of a domain's claim is documented")
    func domains() throws {
        let claim = DomainStatus(application: "a", claim: "b", state: .refused)
        let fields = try parsed(DomainText.node(claim).text(), as: [String: Any].self)
        #expect(try Set(fields.keys) == Self.documented("DOMAINS"))
    }

    @Test("Fields and documentation agree, where device is an id and deviceName a name")
    func fields() async throws {
        try await FakeDaemon.with { daemon, bus in
            func json(_ arguments: String...) async throws -> String {
                let result = try await Tool.run(on: bus, arguments + ["--json"])
                #expect(result.status == 0, "\(result)")
                return result.output
            }
            let status = try parsed(await json("status"), as: [String: Any].self)
            #expect(try Set(status.keys) == Self.documented("STATUS"))
            #expect(status["device"] as? String == "aa" && status["deviceName"] as? String == "desk")
            let devices = try parsed(await json("devices"), as: [[String: Any]].self)
            for member in try devices + #require(status["members"] as? [[String: Any]]) {
                #expect(try Set(member.keys) == Self.documented("DEVICES"))
            }
            #expect(devices.map { $0["device"] as? String } == ["aa", "bb"])
            #expect(devices.map { $0["deviceName"] as? String } == ["desk", "sofa"])

            let history = try parsed(await json("history"), as: [[String: Any]].self)
            #expect(try Set(#require(history.first).keys) == Self.documented("HISTORY"))

            let ping = try parsed(await json("ping", "sofa"), as: [String: Any].self)
            let answers = try #require(ping["answers"] as? [[String: Any]])
            #expect(try Set(ping.keys).union(#require(answers.first).keys) == Self.documented("PING"))
            #expect(ping["device"] as? String == "bb" && ping["deviceName"] as? String == "sofa")

            let probe = try parsed(await json("ping", "sofa", "--each-way"), as: [String: Any].self)
            let sides = try ["here", "there"].map { try #require(probe[$0] as? [String: Any]) }
            let ways = try #require(sides[0]["ways"] as? [[String: Any]])
            let inside = Set(sides.flatMap(\.keys)).union(ways.flatMap(\.keys))
            #expect(try Set(probe.keys).union(inside) == Self.documented("\"PING EACH WAY\""))

            for (command, heading) in [("rules", "RULES"), ("grants", "GRANTS")] {
                let found = try #require(parsed(await json(command), as: [[String: Any]].self).first)
                #expect(try Set(found.keys) == Self.documented(heading))
                #expect((found["warning"] ?? found["team"]) is NSNull)
            }

            await daemon.warn(of: [Finding(.clockWrong, ["clock": .time(0)], command: "timedatectl")])
            let doctor = try parsed(
                await Tool.run(on: bus, ["doctor", "--json", "clock"]).output, as: [String: Any].self)
            let found = try #require((doctor["findings"] as? [[String: Any]])?.first)
            #expect(try Set(doctor.keys).union(found.keys) == Self.documented("DOCTOR"))

            await daemon.appear(
                OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: "t"),
                activity: ActivityState(activityType: "t"))
            let offer = try #require(parsed(await json("nearby"), as: [[String: Any]].self).first)
            #expect(try Set(offer.keys) == Self.documented("NEARBY"))
            let watching = try await Tool(on: bus, ["nearby", "--watch", "--json"])
            var lines = watching.lines.makeAsyncIterator()
            let event = try parsed(await lines.required(), as: [String: Any].self)
            #expect(try Set(event.keys) == Self.documented("NEARBY").union(["event"]))
            watching.interrupt()
            _ = await watching.result
            let live = try await Tool(on: bus, ["status", "--watch", "--json"])
            var screens = live.lines.makeAsyncIterator()
            let screen = try parsed(await screens.required(), as: [String: Any].self)
            #expect(try Set(screen.keys) == Self.documented("STATUS").union(["offers"]))
            live.interrupt()
            _ = await live.result
            let continued = try parsed(await json("continue", "1"), as: [String: Any].self)
            #expect(try Set(continued.keys) == Self.documented("CONTINUE"))
            for found in [offer, event, continued] {
                #expect(found["device"] as? String == "bb" && found["deviceName"] as? String == "sofa")
            }
        }
    }
}
