// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import BatonDesktop

/// ``SettingsInForce`` by themselves.
struct SettingsInForceTests {
    private var subject = SettingsInForce()
    private let sofa = DeviceNames([CircleMember(device: "0a1b2c3d", name: "sofa")])
    private let nobody = DeviceNames([])

    @Test("A mistake leaves in force what was configured before, and is a warning until the file is right")
    mutating func mistake() throws {
        let settings = try Settings("rule = near device=0a1b2c3d")
        let news = subject.wasRead((settings, []), naming: sofa)
        let mistake = BatonError(.invalidArgument, "line 1 is none")
        _ = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        #expect(news.isEmpty && subject.settings == settings)
        #expect(
            subject.findings(naming: sofa).map(\.text) == ["line 1 is none; what was configured before is in force"])
        _ = subject.wasRead((settings, []), naming: sofa)
        #expect(subject.findings(naming: sofa).isEmpty)
    }

    @Test("A mistake at the beginning, with nothing before it, leaves in force what can be understood: no rule is off")
    mutating func mistakeAtTheBeginning() throws {
        let text = "notifications.on-lock-screen = hide\nbogus\nrule = x\nrule = hide type=org.example.diary.*\n"
        #expect(throws: Settings.Mistake.self) { try Settings(text) }
        _ = subject.couldNotBeRead(
            BatonError(.invalidArgument, "line 3 is none"), naming: nobody,
            understood: (Settings(understoodOf: text), []))
        #expect(subject.settings.onLockScreen == .hide && subject.settings.rules.count == 1)
        #expect(
            subject.findings(naming: nobody).map(\.text)
                == ["line 3 is none; what can be understood of the other lines is in force"])
    }

    @Test("A file that cannot be read at the beginning may hide anything: nothing is offered, and no offer is shown")
    mutating func unreadableAtTheBeginning() throws {
        _ = subject.couldNotBeRead(BatonError(.failed, "it cannot be read"), naming: nobody, understood: nil)
        #expect(subject.settings.hidingRule(type: "org.example.diary", app: nil) != nil)
        #expect(
            subject.settings.action(type: "org.example.diary", app: nil, device: "0a1b2c3d", named: "sofa") == .never)
        #expect(subject.settings.adapters.areAllOff)
        #expect(
            subject.findings(naming: nobody).map(\.text)
                == ["it cannot be read; until it can be read, nothing is offered, and no offer is shown"])
        // Whoever publishes is told that, and not of a rule that nobody wrote.
        #expect(subject.whyHidden(type: "org.example.diary", app: nil) == subject.unreadable)
        _ = subject.couldNotBeRead(
            BatonError(.invalidArgument, "line 3 is none"), naming: nobody,
            understood: (Settings(understoodOf: "rule = hide type=diary"), []))
        #expect(subject.unreadable == nil && subject.whyHidden(type: "org.example.diary", app: nil) == nil)
        #expect(subject.whyHidden(type: "diary", app: nil)?.hasPrefix("the rule 'hide type=diary' keeps it") == true)
        _ = subject.wasRead((Settings(), []), naming: nobody)
        #expect(subject.settings == Settings() && subject.unreadable == nil)
    }

    @Test("What is wrong is said once for the log, and for as long as it is so in the warnings")
    mutating func news() throws {
        let settings = try Settings("rule = near device=0a1b2c3d")
        let first = subject.wasRead((settings, [.unwritten("line 2 names two")]), naming: nobody)
        let second = subject.wasRead((settings, [.unwritten("line 2 names two")]), naming: nobody)
        #expect(first.count == 2 && first[0] == "line 2 names two" && first[1].contains("0a1b2c3d"))
        #expect(second.isEmpty && subject.findings(naming: nobody).map(\.text) == first)
        // The device comes into the circle while the file stays as it is, and leaves it.
        #expect(subject.findings(naming: sofa).map(\.text) == ["line 2 names two"])
        _ = subject.wasRead((settings, []), naming: sofa)
        let again = subject.wasRead((settings, []), naming: nobody)
        #expect(again == [first[1]])
    }

    @Test("A name that a device has come to have since is told as that, and not as nobody's")
    mutating func nameTakenSince() throws {
        let problem = SettingsProblem.name("sofa", place: "baton.conf, line 1", isInForce: false)
        let news = subject.wasRead((Settings(), [problem]), naming: nobody)
        #expect(news.first?.hasPrefix("baton.conf, line 1: there is no other device sofa in the circle") == true)
        #expect(subject.findings(naming: nobody).map(\.text) == news)
        #expect(
            subject.findings(naming: sofa).map(\.text) == [
                "baton.conf, line 1: 0a1b2c3d has come to be called sofa since this was read, and may not be meant; "
                    + "until the rule says device=ID it is not in force"
            ])
    }

    @Test("What is wrong with names is said beside a mistake in another line, as long as their rules are in force")
    mutating func namesBesideAMistake() throws {
        let problem = SettingsProblem.name("sofa", place: "baton.conf, line 1", isInForce: false)
        let mistake = BatonError(.invalidArgument, "line 2 is none")
        let news = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), [problem]))
        #expect(news.count == 2 && news[0] == "line 2 is none" && news[1].hasPrefix("baton.conf, line 1: "))
        let findings = subject.findings(naming: nobody).map(\.text)
        #expect(findings.count == 2 && findings[0].hasPrefix("line 2 is none; ") && findings[1] == news[1])
        #expect(subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), [problem])).isEmpty)
    }

    @Test("Where what was before is in force its lines are not told, which the file may not have any more")
    mutating func linesOfBefore() throws {
        let problem = SettingsProblem.name("sofa", place: "baton.conf, line 4", isInForce: false)
        let settings = try Settings("rule = near device=0a1b2c3d")
        let news = subject.wasRead((settings, [problem]), naming: nobody)
        #expect(subject.findings(naming: nobody).map(\.text) == news && news.count == 2)
        let mistake = BatonError(.invalidArgument, "line 1 is none")
        _ = subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        #expect(
            subject.findings(naming: nobody).map(\.text)
                == ["line 1 is none; what was configured before is in force"])
        _ = subject.wasRead((settings, [problem]), naming: nobody)
        #expect(subject.findings(naming: nobody).map(\.text) == news)
    }

    @Test("A mistake is said once for the log, and once more when it comes again")
    mutating func mistakeIsSaidOnce() throws {
        func said() -> [String] {
            let mistake = BatonError(.invalidArgument, "line 1 is none")
            return subject.couldNotBeRead(mistake, naming: nobody, understood: (Settings(), []))
        }
        #expect(said() == ["line 1 is none"] && said() == [])
        _ = subject.wasRead((Settings(), []), naming: nobody)
        #expect(said() == ["line 1 is none"] && said() == [])
        let longer = BatonError(.failed, "line 1 is no")
        #expect(subject.couldNotBeRead(longer, naming: nobody, understood: (Settings(), [])) == ["line 1 is no"])
    }
}
