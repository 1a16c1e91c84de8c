// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import Testing
import WindowModel

@Suite struct PairingTests {
    private static let digits = PairingDigits(pairing: "p1", digits: "012345")
    private static let circle = CircleSummary(
        circle: "c", device: "0a1b2c3d", deviceName: "desk", members: paired().members)

    /// Returns a model that shows the page for adding a laptop.
    private static func adding() -> WindowModel {
        var model = connected(DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk"))
        // The welcome page's own listening ends, because a pairing makes the daemon listen.
        #expect(
            model.handle(.acted(.show(.addLaptop)))
                == [
                    .call(.pair(address: nil, isComingBack: false)), .lookForCamera, .call(.lookForPairing(false)),
                ])
        return model
    }

    @Test func thePageBeginsToPairByItself() {
        guard case .busy(let heading, _)? = Self.adding().page.header else { return fail("not busy") }
        #expect(heading == "Choose Add a Laptop on the other laptop, too")
    }

    @Test func digitsAreComparedByTwoButtons() {
        var model = Self.adding()
        _ = model.handle(.answered(.pair(address: nil, isComingBack: false), .digits(Self.digits)))
        #expect(
            model.page.header
                == .digits("\u{2066}012 345\u{2069}", heading: "Does the other laptop show the same?", text: ""))
        #expect(model.page.buttons.map(\.action) == [.compared(same: false), .compared(same: true)])
        #expect(model.handle(.acted(.compared(same: true))) == [.call(.confirm(pairing: "p1", same: true))])
        // A second click sends no further confirmation.
        #expect(model.handle(.acted(.compared(same: true))) == [])
        _ = model.handle(.answered(.pair(address: nil, isComingBack: false), .circle(Self.circle)))
        guard case .status(_, let heading, let text)? = model.page.header else { return fail("not done") }
        #expect(heading == "The laptop is added")
        #expect(text.contains("“sofa”"))
    }

    @Test func digitsThatDifferEndThePairingAtOnce() {
        var model = Self.adding()
        _ = model.handle(.answered(.pair(address: nil, isComingBack: false), .digits(Self.digits)))
        #expect(model.handle(.acted(.compared(same: false))) == [.call(.confirm(pairing: "p1", same: false))])
        // The page must not say that the other laptop should agree, too.
        guard case .status(_, "The laptop is not added", _)? = model.page.header else { return fail("still pairing") }
        let error = BatonError(.pairingFailed, .pairingBroken)
        _ = model.handle(.failed(.pair(address: nil, isComingBack: false), error))
        #expect(
            model.handle(.acted(model.page.buttons[0].action)) == [.call(.pair(address: nil, isComingBack: false))])
    }

    @Test(arguments: [(4, "“d”"), (5, "“d”, and 1 more laptop now"), (7, "“d”, and 3 more laptops now")])
    func atMostFourLaptopsAreNamed(count: Int, end: String) {
        var model = Self.adding()
        let others = ["a", "b", "c", "d", "e", "f", "g"].prefix(count).map {
            CircleMember(device: "\($0)0000000", name: $0)
        }
        let circle = CircleSummary(circle: "c", device: "0a1b2c3d", deviceName: "desk", members: others)
        _ = model.handle(.answered(.pair(address: nil, isComingBack: false), .digits(Self.digits)))
        _ = model.handle(.acted(.compared(same: true)))
        _ = model.handle(.answered(.pair(address: nil, isComingBack: false), .circle(circle)))
        guard case .status(_, _, let text)? = model.page.header else { return fail("not done") }
        #expect(text.contains(end))
    }

    @Test func goingBackEndsThePairing() {
        var model = Self.adding()
        #expect(model.handle(.acted(.back)).contains(.call(.endPairing)))
        #expect(model.route == .home)
        // The running call for the pairing then fails.
        _ = model.handle(.failed(.pair(address: nil, isComingBack: false), BatonError(.pairingFailed, .pairingBroken)))
        _ = model.handle(.acted(.show(.addLaptop)))
        guard case .busy? = model.page.header else { return fail("not busy") }
    }

    @Test func anotherWayEndsTheFirst() {
        var model = Self.adding()
        #expect(model.handle(.acted(.pair(.showCode))) == [.call(.endPairing), .call(.showCode)])
        #expect(model.handle(.typed(.code, " code\n")) == [.call(.endPairing), .call(.join(code: " code"))])
        #expect(
            model.handle(.typed(.address, "192.0.2.7:42424"))
                == [.call(.endPairing), .call(.pair(address: "192.0.2.7:42424", isComingBack: false))])
    }

    @Test func aFailureIsSaidInWordsAndCanBeTriedAgain() {
        var model = Self.adding()
        _ = model.handle(
            .failed(.pair(address: nil, isComingBack: false), BatonError(.radioUnavailable, .radioUnusable)))
        guard case .status(_, let heading, let text)? = model.page.header else { return fail("no failure") }
        #expect(heading == "The laptop is not added")
        #expect(text == "Bluetooth cannot be used. Turn it on, or type the other laptop's address.")
        #expect(
            model.handle(.acted(model.page.buttons[0].action)) == [.call(.pair(address: nil, isComingBack: false))])
    }

    @Test(arguments: [
        (
            BatonError(.alreadyInCircle, .pairedAlready),
            "The two laptops are paired already. If this laptop is missing in the list of the other one, choose Come Back."
        ),
        (
            BatonError(.connectionUnavailable, .pairingUnreachable),
            "The other laptop cannot be reached at this address. Check the address, and choose Add a Laptop there."
        ),
        (
            BatonError(.pairingFailed, .pairingForeign),
            "The other side is not Baton, or another version of it. Install the same version of Baton on both laptops."
        ),
        (
            BatonError(.invitationInvalid, .invitationOfOtherVersion),
            "The invitation was made by another version of Baton. Install the same version of Baton on both laptops."
        ),
        (BatonError(.invalidArgument, .argumentEmpty), "That is not an address, such as 192.168.1.7:42424."),
    ])
    func theReasonOfAFailureIsSaid(error: BatonError, said: String) {
        var model = Self.adding()
        _ = model.handle(.failed(.pair(address: nil, isComingBack: false), error))
        guard case .status(_, _, let text)? = model.page.header else { return fail("no failure") }
        #expect(text == said)
    }

    @Test func aLaptopThatMayHaveBeenRemovedComesBack() {
        var model = connected(paired(findings: [Finding(.outOfTouch, ["since": .time(1_699_000_000)])]))
        guard case .buttons(let buttons)? = model.page.row("finding", "finding")?.control else {
            return fail("no button")
        }
        #expect(
            model.handle(.acted(buttons[0].action))
                == [.call(.pair(address: nil, isComingBack: true)), .lookForCamera])
        #expect(model.route == .addLaptop)
        guard case .busy? = model.page.header else { return fail("not searching") }
        #expect(model.handle(.acted(.back)).contains(.call(.endPairing)))
    }

    @Test func aLaptopThatComesBackTriesThatAgainUntilAnotherWayIsChosen() {
        var model = connected(paired(findings: [Finding(.outOfTouch, ["since": .time(1_699_000_000)])]))
        _ = model.handle(.acted(.comeBack))
        let address = "192.0.2.7:42424"
        let (byRadio, byAddress) = (
            BusRequest.pair(address: nil, isComingBack: true), BusRequest.pair(address: address, isComingBack: true)
        )
        let error = BatonError(.connectionUnavailable, .nobodyPairing)
        _ = model.handle(.failed(byRadio, error))
        #expect(model.handle(.acted(model.page.buttons[0].action)) == [.call(byRadio)])
        #expect(model.handle(.typed(.address, address)) == [.call(.endPairing), .call(byAddress)])
        _ = model.handle(.failed(byAddress, error))
        #expect(model.handle(.acted(model.page.buttons[0].action)) == [.call(byRadio)])

        let digits = BusRequest.pair(address: nil, isComingBack: false)
        _ = model.handle(.acted(.back))
        #expect(model.handle(.acted(.show(.addLaptop))) == [.call(digits), .lookForCamera])
        _ = model.handle(.failed(digits, error))
        #expect(model.handle(.acted(model.page.buttons[0].action)) == [.call(digits)])
    }

    @Test func withoutBluetoothThePageSaysWhatToDo() {
        let advice = "Bluetooth cannot be used. Turn it on, or type the other laptop's address."
        var model = Self.adding()
        #expect(model.page.buttons.isEmpty)
        var status = DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")
        (status.radioCondition, status.radioProblem) = ("off", Finding(.adapterOff))
        _ = model.handle(.status(status))
        guard case .busy(_, advice)? = model.page.header else { return fail("not said") }
        #expect(model.page.buttons.map(\.action) == [.openBluetoothSettings])
        let error = BatonError(.connectionUnavailable, .nobodyPairing)
        _ = model.handle(.failed(.pair(address: nil, isComingBack: false), error))
        guard case .status(_, _, advice)? = model.page.header else { return fail("not said") }
        status.radioCondition = "ready"
        _ = model.handle(.status(status))
        guard case .status(_, _, let text)? = model.page.header else { return fail("no failure") }
        #expect(text.hasPrefix("No other laptop was found."))
    }

    @Test func theTimeToWaitIsSaid() {
        var model = Self.adding()
        var status = DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")
        status.pairingRefusedUntil = model.now.addingTimeInterval(200)
        _ = model.handle(.status(status))
        _ = model.handle(.failed(.pair(address: nil, isComingBack: false), BatonError(.limitReached, .pairingUnderWay)))
        guard case .status(_, _, let text)? = model.page.header else { return fail("no failure") }
        #expect(text == "You can compare digits again in 4 minutes. Until then you can show a code.")
    }

    @Test func aDaemonThatEndsTakesThePairingAlong() {
        var model = Self.adding()
        _ = model.handle(.daemon(isThere: false))
        _ = model.handle(.daemon(isThere: true))
        guard case .status(_, "No laptop is being added", _)? = model.page.header else { return fail("still pairing") }
        #expect(
            model.handle(.acted(model.page.buttons[0].action)) == [.call(.pair(address: nil, isComingBack: false))])
    }
}

@Suite struct LaptopPageTests {
    private static let other = "4e5f6a7b"

    @Test func removingAsksFirst() {
        var model = connected()
        _ = model.handle(.acted(.show(.laptop(Self.other))))
        let effects = model.handle(.acted(.ask(.remove(device: Self.other))))
        guard case .ask(let question, .request(let request))? = effects.first else { return fail("no question") }
        #expect(question.heading == "Remove “sofa”?")
        #expect(model.handle(.acted(.request(request))) == [.call(.remove(device: Self.other))])
        _ = model.handle(.answered(request, .done))
        #expect(model.route == .home)
    }

    @Test func theConnectionIsTested() {
        var model = connected()
        _ = model.handle(.acted(.show(.laptop(Self.other))))
        #expect(model.handle(.acted(.request(.probe(device: Self.other)))) == [.call(.probe(device: Self.other))])
        #expect(model.page.row("state", "probe")?.control == .busy(nil))
        let way = DeviceProbe.Way(transport: "l2cap", time: .milliseconds(20))
        let probe = DeviceProbe(
            answer: DeviceAnswer(
                device: Self.other, deviceName: "sofa", transport: "l2cap", roundTrip: .milliseconds(9)),
            here: .init(hears: true, ways: [way]), there: .init(hears: true))
        _ = model.handle(.answered(.probe(device: Self.other), .probe(probe)))
        #expect(model.page.row("state", "probe")?.subtitle == "The laptops reach each other over Bluetooth.")
    }

    @Test func thisLaptopIsRenamedInItsRow() {
        var model = connected()
        _ = model.handle(.acted(.show(.laptop("0a1b2c3d"))))
        #expect(model.page.row("name", "name")?.control == .entry("desk", .name))
        #expect(model.handle(.typed(.name, "couch")) == [.call(.rename("couch"))])
        #expect(model.handle(.typed(.name, "")) == [])
    }

    @Test func thisLaptopThatIsTakenOutIsWelcomedAgain() {
        var model = connected()
        _ = model.handle(.acted(.show(.laptop("0a1b2c3d"))))
        _ = model.handle(.answered(.leave, .done))
        _ = model.handle(.status(DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")))
        #expect(model.route == .home)
        #expect(model.page.buttons.map(\.action) == [.show(.addLaptop)])
    }

    @Test func aLaptopThatIsGoneIsSaidToBe() {
        var model = connected()
        _ = model.handle(.acted(.show(.laptop("00000000"))))
        guard case .status(_, let heading, _)? = model.page.header else { return fail("no status") }
        #expect(heading == "This laptop is no longer one of yours")
    }
}

@Suite struct PrivacyPageTests {
    @Test func aNearRuleIsASwitch() {
        var model = connected()
        #expect(model.handle(.acted(.show(.privacy))) == [])
        guard case .toggle(false, let on, _)? = model.page.row("near", "4e5f6a7b")?.control else {
            return fail("no switch")
        }
        #expect(model.handle(.acted(on)) == [.call(.addRule("near device=4e5f6a7b", number: nil))])
        _ = model.handle(
            .settings(UserSettings(values: [:], rules: ["hide type=a", "near signal=-60 device=4e5f6a7b"])))
        guard case .toggle(true, _, let off)? = model.page.row("near", "4e5f6a7b")?.control else {
            return fail("not on")
        }
        guard case .call(.removeRule(2))? = model.handle(.acted(off)).first else {
            return fail("not removed")
        }
    }

    @Test func settingsAreSwitchesAndChoices() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        _ = model.handle(
            .settings(
                UserSettings(values: ["notifications": "off", "notifications.on-lock-screen": "full"], rules: [])))
        guard case .toggle(false, let on, _)? = model.page.row("notifications", "notify")?.control,
            case .choice(_, 2, let choices)? = model.page.row("notifications", "locked")?.control
        else { return fail("no switch, or no choice") }
        #expect(model.handle(.acted(on)) == [.call(.set("notifications", to: "on"))])
        #expect(model.handle(.acted(choices[0])) == [.call(.set("notifications.on-lock-screen", to: "hide"))])
    }

    @Test func theUserChoosesInWhichNetworksBatonLooks() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        _ = model.handle(.settings(UserSettings(values: ["lan": "known"], rules: [])))
        guard case .choice(let texts, 1, let actions)? = model.page.row("networks", "look")?.control else {
            return fail("no choice")
        }
        #expect(texts == ["In no network", "In known networks", "In every network"])
        #expect(
            actions.map { model.handle(.acted($0)) }
                == [
                    [.call(.set("lan", to: "off"))], [.call(.set("lan", to: "known"))],
                    [.call(.set("lan", to: "always"))],
                ])
    }

    @Test(arguments: [("titles", "networks", "titles", "tell", "ask"), ("domains", "sites", "ask", "on", "off")])
    func titlesAndWebSitesAreSwitches(key: String, section: String, row: String, on: String, off: String) {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        for value in [on, off] {
            _ = model.handle(.settings(UserSettings(values: [key: value], rules: [])))
            guard case .toggle(let isOn, let turnOn, let turnOff)? = model.page.row(section, row)?.control else {
                return fail("no switch")
            }
            #expect(isOn == (value == on))
            #expect(model.handle(.acted(turnOn)) == [.call(.set(key, to: on))])
            #expect(model.handle(.acted(turnOff)) == [.call(.set(key, to: off))])
        }
    }

    @Test func noSettingIsShownBeforeTheDaemonHasSentIt() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        _ = model.handle(.history([]))
        #expect(model.page.section("notifications") == nil)
        #expect(model.page.section("history")?.rows.map(\.id) == ["none"])
        _ = model.handle(.settings(UserSettings(values: ["history": "1440m", "notifications": "on"], rules: [])))
        #expect(model.page.section("notifications")?.rows.map(\.id) == ["notify"])
        #expect(model.page.section("history")?.rows.map(\.id) == ["none", "length"])
    }

    @Test func aTimeForTheHistoryThatIsNotAmongTheChoicesIsShown() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        func length(_ value: String) -> (texts: [String], selected: Int, actions: [WindowAction])? {
            _ = model.handle(.settings(UserSettings(values: ["history": value], rules: [])))
            guard case .choice(let texts, let selected, let actions)? = model.page.row("history", "length")?.control
            else { return nil }
            return (texts, selected, actions)
        }
        #expect(length("1440m")?.selected == 1 && length("1440m")?.texts.count == 4)
        #expect(length("4320m")?.selected == 4 && length("4320m")?.texts.last == "Another period")
        #expect(length("4320m")?.actions.last == .request(.set("history", to: "4320m")))
    }

    @Test func aRemovedRuleComesBackByUndo() {
        var model = connected()
        _ = model.handle(.settings(UserSettings(values: [:], rules: ["never type=a", "hide type=b"])))
        let effects = model.handle(.acted(.request(.removeRule(1))))
        guard case .toast(_, let undo?)? = effects.last else { return fail("no undo") }
        #expect(undo.action == .request(.addRule("never type=a", number: 1)))
    }

    @Test func aRuleWithoutASentenceIsShownAsItIsWritten() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        let rule = "near type=org.example.a app=org.example.b signal=-40"
        _ = model.handle(.settings(UserSettings(values: [:], rules: [rule, "new verb=1"])))
        #expect(model.page.row("rules", "new verb=1")?.title == "new verb=1")
    }
}
