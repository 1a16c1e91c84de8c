// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Foundation
import Testing

import Wording
@testable import baton

/// Tests the output of `baton` without a command.
@Suite struct OverviewTests {
    private let offers = [OfferSummary].examples

    @Test("The overview shows nearby devices, offers and the next steps")
    func screenSaysWhatToDo() {
        let now = Date(timeIntervalSince1970: 2_000_000_000)
        var status = DaemonStatus(version: "1", radio: "bluez", device: "aa", deviceName: "desk")
        func lines(_ offers: [OfferSummary] = []) -> [String] {
            Overview(status: status, offers: offers, now: now).lines
        }
        status.withoutCircle = Finding(.noCircle)
        #expect(lines()[1] == status.withoutCircle?.text(on: .terminal))
        status.findings = [Finding(.removed, ["laptop": "sofa"])]
        #expect(
            lines() == [
                "This laptop is called \"desk\".", status.findings[0].text(on: .terminal), "",
                "All commands: baton --help",
            ])
        status.isPaused = true
        #expect(lines().contains { $0.hasPrefix("Baton is paused.") })
        status.device = ""
        #expect(lines()[0] == status.findings[0].text(on: .terminal), "who has no keys has no name")
        (status.circle, status.findings, status.isPaused) = ("c", [], false)
        status.members = [CircleMember(device: "aa", name: "desk", isThisDevice: true)]
        #expect(lines()[0].contains("is paired with no other laptop"))
        status.members += [
            CircleMember(device: "bb", name: "sofa", isNear: true, lastSeen: now, transports: ["l2cap"]),
            CircleMember(device: "cc", name: "attic", lastSeen: now - 7_300),
            CircleMember(device: "dd", name: "shed"), CircleMember(device: "ee", name: "car", transports: ["tcp"]),
        ]
        var offers = offers
        offers[0].application = "org.example.App"
        offers[1].hasWebpage = true
        #expect(
            lines(offers) == [
                "This laptop, \"desk\", is paired with:", "  sofa  near, connected over l2cap",
                "  attic  last seen 2 hours ago", "  shed  not seen yet", "  car  connected over tcp", "",
                "To continue here, run \"baton open\":", "  desk  t", "  sofa  t  -40 dBm  page+streams  T",
                "  sofa  (unknown)",
                "",
                "All commands: baton --help",
            ])
        status.isPaused = true
        #expect(lines().contains("Baton is paused. Run \"baton resume\"."))
        status.pausedUntil = now
        #expect(lines().contains { $0.hasPrefix("Baton is paused until ") })
        status.findings = [
            Finding(.radioSimulated), Finding(.stateUnwritable, ["reason": "it is full"]),
        ]
        #expect(
            Set(status.findings.map { $0.text(on: .terminal) }).isSubset(of: lines()), "each is told, also in a pause")
        #expect(lines(Array(repeating: offers[0], count: 20)).contains("  and 12 more: baton nearby"))
        // An offer that no app can open gets no advice to open it, and a hidden one is not shown.
        offers[0].application = nil
        offers[1].isHidden = true
        let screen = lines(Array(offers.prefix(2)))
        #expect(
            screen.suffix(4) == [
                "No app here continues these. \"baton continue\" shows what they hold:", "  desk  t", "",
                "All commands: baton --help",
            ])
        #expect(!screen.contains { $0.contains("baton open") })
        #expect(lines([offers[1]]).contains("Your rules hide what other laptops offer. \"baton nearby\" lists it."))
        #expect(lines().contains("No other laptop offers anything now."))
    }
}
