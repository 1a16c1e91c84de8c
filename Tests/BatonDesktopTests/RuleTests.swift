// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonDesktop
import Testing

@Suite struct RuleTests {
    @Test(
        "A value with blanks or quotes is read as it was written",
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
        "A rule is written as it was read",
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
            ("", "does not begin with"), ("continue", "does not begin with"), ("ask type", "KEY=VALUE"),
            ("ask type=", "KEY=VALUE"), ("near type=a*b", "only at the end"), ("ask app=*.Notes", "only at the end"),
            ("near \"type=a device=desk\"", "quote each VALUE by itself"),
            ("ask colour=red", "unknown key"), ("ask type=a type=b", "twice"), ("near signal=loud", "signal"),
            ("near signal=99", "signal"), ("ask signal=-60", "only near"), ("hide device=desk", "all of them"),
            ("never device=\"desk", "double quote"),
            ("ask type=" + String(repeating: "x", count: 2_000), "longer than"),
            ("ask type=" + String(repeating: "x", count: 256), "more than 255 bytes as type"),
            ("ask type=" + String(repeating: "x", count: 256) + "*", "more than 255 bytes as type"),
            ("ask app=" + String(repeating: "é", count: 129), "more than 255 bytes as app"),
        ])
    func mistakeIsNamed(text: String, says: String) {
        let error = #expect(throws: Rule.Mistake.self) { try Rule(text) }
        #expect(error?.description.contains(says) == true)
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
}
