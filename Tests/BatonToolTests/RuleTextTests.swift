// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import baton

/// Tests how rules are shown and read.
@Suite struct RuleTextTests {
    @Test("A rule is shown with the name of its device")
    func ruleNamesItsDevice() {
        let members = [CircleMember(device: "0a1b2c3d", name: "desk")]
        #expect(
            RuleText.line("near type=t device=0a1b2c3d signal=-60", members)
                == "near type=t device=0a1b2c3d signal=-60  (desk)")
        #expect(
            RuleText.line("never device=11111111", members)
                == "never device=11111111  " + RuleText.words(doubt(.ruleOfNobody, ["id": "11111111"])))
        #expect(
            RuleText.doubt(#"never type="a device=0a1b2c3d" device="old laptop""#, members)
                == doubt(.ruleNameUnknown, ["name": "old laptop"]))
        #expect(RuleText.doubt("never device=desk", members) == doubt(.ruleNameKept, ["name": "desk"]))
        #expect(RuleText.doubt("near type=t device=0a1b2c3d signal=-60", members) == nil)
        #expect(RuleText.line("ask", members) == "ask")
        #expect(RuleText.limit(#"hide type="a app=b""#) == nil && RuleText.limit("never app=org.example.Notes") == nil)
        #expect(RuleText.limit("hide type=t app=org.example.Notes") == doubt(.ruleOfStartedApp))
    }

    private func doubt(_ failure: FailureCode, _ values: [String: Reason.Value] = [:]) -> Finding {
        Finding(Reason(failure, values), command: nil, reported: nil)
    }

    @Test(
        "A rule can be given as several words, from which the shell has removed quotes, or as one word",
        arguments: [
            (["never", "device=old laptop"], #"never device="old laptop""#),
            ([#"never type=t device="old laptop""#], #"never type=t device="old laptop""#), (["ask"], "ask"),
        ])
    func ruleOfArguments(arguments: [String], rule: String) {
        #expect(RuleText.text(ofArguments: arguments) == rule)
    }

    @Test("The second of two equal rules is found")
    func secondOfTwoSameRules() {
        let copy = RuleText.copy(of: "ask", in: ["never", "ask", "hide", "ask"])
        #expect(copy?.reason.failure == .ruleTwice && copy?.command == "baton rules remove 4")
        #expect(RuleText.copy(of: "never", in: ["never", "ask"]) == nil)
    }
}
