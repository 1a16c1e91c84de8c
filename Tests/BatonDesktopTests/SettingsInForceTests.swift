// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
@_spi(Reported) import HandoffModel
import Testing
import Wording

@testable import BatonDesktop

/// Tests ``SettingsInForce`` alone.
struct SettingsInForceTests {
    private var subject = SettingsInForce()
    private let sofa = DeviceNames([CircleMember(device: "0a1b2c3d", name: "sofa")])
    private let nobody = DeviceNames([])

    private static func quoted(_ text: String) -> Reason.Value { .reason(Reason(quoting: text)) }

    @Test("After a mistake the previous settings stay in force, with a warning until the file is corrected")
    mutating func mistake() throws {
        let settings = try Settings("rule = near device=0a1b2c3d")
        let news = subject.wasRead((settings, []), naming: sofa)
        let mistake = BatonError(.invalidArgument, reported: "line 1 is none")
        _ = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        #expect(news.isEmpty && subject.settings == settings)
        #expect(
            subject.findings(naming: sofa) == [Finding(.settingsMistake, ["former": Self.quoted("line 1 is none")])])
        _ = subject.wasRead((settings, []), naming: sofa)
        #expect(subject.findings(naming: sofa).isEmpty)
    }

    @Test("If there is a mistake at the start, the valid lines are in force, so that the rules apply")
    mutating func mistakeAtTheBeginning() throws {
        let text = "notifications.on-lock-screen = hide\nbogus\nrule = x\nrule = hide type=org.example.diary.*\n"
        #expect(throws: Settings.Mistake.self) { try Settings(text) }
        _ = subject.couldNotBeRead(
            BatonError(.invalidArgument, reported: "line 3 is none"), naming: nobody,
            understood: (Settings(understoodOf: text), []))
        #expect(subject.settings.onLockScreen == .hide && subject.settings.rules.count == 1)
        #expect(
            subject.findings(naming: nobody) == [Finding(.settingsMistake, ["partly": Self.quoted("line 3 is none")])])
    }

    @Test(
        "If the file cannot be read at the start, nothing is offered and no offer is shown, because a rule might forbid it"
    )
    mutating func unreadableAtTheBeginning() throws {
        let unreadable = Reason(.fileUnreadable, ["file": "/f", "reason": "EIO"])
        _ = subject.couldNotBeRead(
            BatonError(.failed, .fileUnreadable, unreadable.values), naming: nobody, understood: nil)
        #expect(subject.settings.hidingRule(type: "org.example.diary", app: nil) != nil)
        #expect(
            subject.settings.action(type: "org.example.diary", app: nil, device: "0a1b2c3d", named: "sofa") == .never)
        #expect(subject.settings.adapters.areAllOff)
        #expect(
            subject.findings(naming: nobody) == [Finding(.settingsMistake, ["unreadable": .reason(unreadable)])])
        // A publisher is told that the file cannot be read, and not that a rule hides the activity.
        #expect(subject.whyHidden(type: "org.example.diary", app: nil) == subject.unreadable?.reason)
        _ = subject.couldNotBeRead(
            BatonError(.invalidArgument, reported: "line 3 is none"), naming: nobody,
            understood: (Settings(understoodOf: "rule = hide type=diary"), []))
        #expect(subject.unreadable == nil && subject.whyHidden(type: "org.example.diary", app: nil) == nil)
        #expect(subject.whyHidden(type: "diary", app: nil) == Reason(.hiddenByRule, ["rule": "hide type=diary"]))
        _ = subject.wasRead((Settings(), []), naming: nobody)
        #expect(subject.settings == Settings() && subject.unreadable == nil)
    }

    @Test("A problem is logged once, and stays in the warnings while it exists")
    mutating func news() throws {
        let settings = try Settings("rule = near device=0a1b2c3d")
        let first = subject.wasRead((settings, [.unwritten("full")]), naming: nobody)
        let second = subject.wasRead((settings, [.unwritten("full")]), naming: nobody)
        #expect(first.count == 2 && first[0].contains("(full)") && first[1].contains("0a1b2c3d"))
        #expect(second.isEmpty && subject.findings(naming: nobody).map(\.logged) == first)
        // The device joins and leaves the circle while the file stays as it is.
        #expect(subject.findings(naming: sofa).map(\.logged) == [first[0]])
        _ = subject.wasRead((settings, []), naming: sofa)
        let again = subject.wasRead((settings, []), naming: nobody)
        #expect(again == [first[1]])
    }

    @Test("If a device takes the name in a rule later, the report says so, and does not call the name unknown")
    mutating func nameTakenSince() throws {
        let problem = SettingsProblem.name("sofa", line: 1, isInForce: false)
        let news = subject.wasRead((Settings(), [problem]), naming: nobody)
        #expect(
            news == [
                "The rule in line 1 of baton.conf is not in force (None of your laptops is called \"sofa\"). Write device=ID into the rule, with the id of the laptop."
            ])
        #expect(subject.findings(naming: nobody).map(\.logged) == news)
        let taken = Reason(.nameTakenLater, ["laptop": "sofa", "id": "0a1b2c3d"])
        #expect(
            subject.findings(naming: sofa) == [
                Finding(.settingsMistake, ["idle": .count(1), "reason": .reason(taken)])
            ])
    }

    @Test(
        "Problems with names are reported even if another line has a mistake, as long as the rules with the names are in force"
    )
    mutating func namesBesideAMistake() throws {
        let problem = SettingsProblem.name("sofa", line: 1, isInForce: false)
        let mistake = BatonError(.invalidArgument, reported: "line 2 is none")
        let news = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), [problem]))
        #expect(news.count == 2 && news[0] == "line 2 is none")
        let findings = subject.findings(naming: nobody)
        #expect(findings.count == 2 && findings[1].logged == news[1])
        #expect(findings.first == Finding(.settingsMistake, ["partly": Self.quoted("line 2 is none")]))
        #expect(subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), [problem])).isEmpty)
    }

    @Test(
        "Problems in previous settings that are still in force are not reported, because the file may not have these lines"
    )
    mutating func linesOfBefore() throws {
        let problem = SettingsProblem.name("sofa", line: 4, isInForce: false)
        let settings = try Settings("rule = near device=0a1b2c3d")
        let news = subject.wasRead((settings, [problem]), naming: nobody)
        #expect(subject.findings(naming: nobody).map(\.logged) == news && news.count == 2)
        let mistake = BatonError(.invalidArgument, reported: "line 1 is none")
        _ = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        #expect(
            subject.findings(naming: nobody) == [Finding(.settingsMistake, ["former": Self.quoted("line 1 is none")])])
        _ = subject.wasRead((settings, [problem]), naming: nobody)
        #expect(subject.findings(naming: nobody).map(\.logged) == news)
    }

    @Test("A mistake is logged once, and again when it returns")
    mutating func mistakeIsSaidOnce() throws {
        func said() -> [String] {
            let mistake = BatonError(.invalidArgument, reported: "line 1 is none")
            return subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        }
        #expect(said() == ["line 1 is none"] && said() == [])
        _ = subject.wasRead((Settings(), []), naming: nobody)
        #expect(said() == ["line 1 is none"] && said() == [])
        let longer = BatonError(.failed, reported: "line 1 is no")
        #expect(subject.couldNotBeRead(longer, naming: nobody, understood: (Settings(), [])) == ["line 1 is no"])
    }
}

extension Finding {
    /// The finding's text in the log.
    fileprivate var logged: String { text(on: .terminal, in: .english) }
}
