// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Diagnosis
import Testing
import Wording

@testable import BatonDesktop

@Suite struct RuleTests {
    @Test(
        "A value with spaces or quotes survives writing and reading",
        arguments: [#"ada's "big" one"#, #"a\"b"#, #"a\ b\"#, #"\"#, #"""#])
    func quotes(name: String) throws {
        let rule = try Rule("never device=\(Quoting.quoted(name))")
        #expect(rule.device == name)
        #expect(try Rule(rule.description) == rule)
        #expect(Quoting.unquoted(Quoting.quoted(name)) == name)
    }

    @Test("A device's id may be in upper case, and no device can choose such a name")
    func capitals() throws {
        let rule = try Rule("near device=DEADBEEF")
        #expect(rule.device == "deadbeef" && rule.isInForce)
        #expect(DeviceNames.isID("DEADBEEF"))
    }

    @Test(
        "A rule survives writing and reading",
        arguments: [
            "ask", "never device=desk", "near type=org.example.* app=org.example.Notes device=\"my desk\" signal=-55",
            "hide type=org.example.diary",
        ])
    func whatIsReadIsWrittenTheSame(text: String) throws { #expect(try Rule(text).description == text) }

    @Test("A near rule has a default signal strength")
    func nearHasAUsualSignal() throws {
        #expect(try Rule("near").action == .near(signal: -60))
        #expect(try Rule("  near   device=desk ").description == "near device=desk signal=-60")
    }

    @Test(
        "A mistake in a rule is named",
        arguments: [
            ("", FailureCode.ruleAction, nil), ("continue", .ruleAction, nil), ("ask type", .pairForm, "type"),
            ("ask type=", .pairForm, "type="), ("near type=a*b", .patternStar, "type=a*b"),
            ("ask app=*.Notes", .patternStar, "app=*.Notes"),
            ("near \"type=a device=desk\"", .valueQuotes, "type=a device=desk"),
            ("ask colour=red", .keyUnknown, "colour"), ("ask type=a type=b", .argumentTwice, "type"),
            ("near signal=loud", .argumentRange, "signal"), ("near signal=99", .argumentRange, "signal"),
            ("ask signal=-60", .argumentNeedless, "signal"), ("hide device=desk", .argumentNeedless, "device"),
            ("never device=\"desk", .quoteOpen, nil),
            ("ask type=" + String(repeating: "x", count: 2_000), .argumentSize, "rule"),
            ("ask type=" + String(repeating: "x", count: 256), .argumentSize, "type"),
            ("ask type=" + String(repeating: "x", count: 256) + "*", .argumentSize, "type"),
            ("ask app=" + String(repeating: "é", count: 129), .argumentSize, "app"),
        ] as [(String, FailureCode, Reason.Value?)])
    func mistakeIsNamed(text: String, failure: FailureCode, subject: Reason.Value?) {
        let reason = #expect(throws: Rule.Mistake.self) { try Rule(text) }?.reason
        #expect(reason?.failure == failure)
        #expect(["argument", "key", "word"].compactMap { reason?.values[$0] }.first == subject)
        // The mistake has a value for each placeholder of its sentence.
        #expect(reason?.text(on: .terminal) != nil)
    }

    @Test("The first rule that is about an offer counts")
    func firstRuleCounts() throws {
        let settings = try Settings(
            """
            rule = never device=desk type=org.example.secret*
            rule = near app=org.example.Notes signal=-50
            rule = never type=org.example.mail
            """)
        func action(_ type: String, _ app: String?, _ device: String) -> Rule.Action {
            settings.action(type: type, app: app, device: "0a1b2c3d", named: device)
        }
        #expect(action("org.example.secrets", "org.example.Notes", "desk") == .never)
        #expect(action("org.example.secrets", "org.example.Notes", "sofa") == .near(signal: -50))
        #expect(action("org.example.mail", nil, "sofa") == .never)
        #expect(action("org.example.mail.draft", nil, "sofa") == .ask)
        #expect(action("org.example.secret", nil, "desk") == .never)
    }

    @Test("A rule with an id applies to the device with that id, whatever the names of other devices")
    func deviceByItsID() throws {
        let settings = try Settings("rule = near device=0a1b2c3d")
        #expect(settings.action(type: "t", app: nil, device: "0a1b2c3d", named: "anything") == .near(signal: -60))
        #expect(settings.action(type: "t", app: nil, device: "ffffffff", named: "0a1b2c3d") == .ask)
    }

    @Test("A name in a rule that was not replaced by an id matches no device")
    func onlyCallsItselfSo() throws {
        let settings = try Settings("rule = near device=desk\nrule = never device=sofa")
        #expect(settings.action(type: "t", app: nil, device: "ffffffff", named: "desk") == .ask)
        #expect(settings.action(type: "t", app: nil, device: "ffffffff", named: "sofa") == .never)
    }

    @Test("A hide rule applies to the activities of this device")
    func hideIsForOwnActivities() throws {
        let settings = try Settings("rule = hide type=org.example.diary*\nrule = hide app=org.example.Bank")
        #expect(settings.hidingRule(type: "org.example.diary.entry", app: nil) == settings.rules[0])
        #expect(settings.hidingRule(type: "org.example.note", app: nil) == nil)
        #expect(settings.hidingRule(type: "org.example.note", app: "org.example.Bank") == settings.rules[1])
        #expect(settings.action(type: "org.example.diary", app: nil, device: "0a1b2c3d", named: "desk") == .ask)
    }

    @Test("A rule may name the default browser for a page that no app continues")
    func pageForTheBrowser() throws {
        let settings = try Settings("rule = never app=firefox-esr")
        func action(_ application: String?, hasWebpage: Bool, _ browser: String?) -> Rule.Action {
            let offer = OfferSummary(
                offer: "o", device: "0a1b2c3d", deviceName: "desk", type: "t", hasWebpage: hasWebpage,
                application: application)
            return settings.action(for: offer, browser: browser)
        }
        #expect(action(nil, hasWebpage: true, "firefox-esr") == .never)
        #expect(action(nil, hasWebpage: true, "chromium") == .ask)
        #expect(action(nil, hasWebpage: false, "firefox-esr") == .ask)
        #expect(action("org.example.Notes", hasWebpage: true, "firefox-esr") == .ask)
    }

    @Test("A hide rule with an adapter's id applies to everything that the adapter publishes for apps")
    func hideOfAnAdapter() throws {
        let settings = try Settings("rule = hide app=org.example.Documents")
        let names = OwnAppNames(adapters: ["read": ["org.example.Documents"], "play": ["org.example.Media"]])
        func isHidden(_ type: String, _ app: String?) -> Bool {
            settings.hidingRule(type: type, app: app, or: names.ids(ofType: type, app: app)) != nil
        }
        #expect(isHidden("read", "org.example.Viewer") && isHidden("read", nil))
        #expect(!isHidden("play", "org.example.Player") && !isHidden("write", nil))
    }

    @Test("A hide rule with a browser's id applies to a page whose browser is unknown")
    func hideOfAnUnknownBrowser() throws {
        let settings = try Settings("rule = hide app=firefox-esr")
        let names = OwnAppNames(browsers: ["firefox-esr", "chromium"])
        func isHidden(_ type: String, _ app: String?) -> Bool {
            settings.hidingRule(type: type, app: app, or: names.ids(ofType: type, app: app)) != nil
        }
        let page = ActivityState.browsingWeb
        #expect(isHidden(page, "firefox-esr") && isHidden(page, nil))
        #expect(!isHidden(page, "chromium") && !isHidden("org.example.note", nil))
    }
}
