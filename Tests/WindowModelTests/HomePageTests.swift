// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import Testing
import WindowModel

/// Returns a model that has reached the daemon, with some laptops.
func connected(
    _ status: DaemonStatus = paired(), now: Date = Date(timeIntervalSince1970: 1_700_000_000)
) -> WindowModel {
    var model = WindowModel(now: now)
    _ = model.handle(.daemon(isThere: true))
    _ = model.handle(.status(status))
    return model
}

/// Returns the status of a laptop called desk, with another one called sofa.
func paired(findings: [Finding] = []) -> DaemonStatus {
    DaemonStatus(
        radio: "bluez", device: "0a1b2c3d", deviceName: "desk", circle: "c",
        members: [
            CircleMember(device: "0a1b2c3d", name: "desk", isThisDevice: true),
            CircleMember(device: "4e5f6a7b", name: "sofa", isNear: true),
        ], findings: findings)
}

/// Records a failure. A `guard` can return the result of this call.
func fail(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record(comment, sourceLocation: sourceLocation)
}

extension Page {
    func section(_ id: String) -> Section? { sections.first { $0.id == id } }

    func row(_ section: String, _ row: String) -> Row? { self.section(section)?.rows.first { $0.id == row } }
}

@Suite struct HomePageTests {
    private static let document = OfferSummary(
        offer: "o1", device: "4e5f6a7b", deviceName: "sofa", application: "org.batonproject.Adapter.Documents")

    @Test func aLaptopWithoutACircleIsWelcomed() {
        let page = connected(DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")).page
        #expect(page.buttons.map(\.action) == [.show(.addLaptop)])
        #expect(page.row("name", "name")?.control == .entry("desk", .name))
    }

    @Test func theWelcomeSaysHowManyProblemsThereAre() {
        var status = DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")
        #expect(connected(status).page.row("help", "trouble")?.subtitle == "Baton finds nothing wrong here.")
        status.findings = [Finding(.noCircle), Finding(.adapterOff)]
        #expect(connected(status).page.row("help", "trouble")?.subtitle == "Baton finds 1 problem.")
    }

    @Test func anUnknownNetworkIsAllowedByAButton() {
        var model = connected(paired(findings: [Finding(.networkUnknown, command: "baton lan here")]))
        let row = model.page.row("finding", "finding")
        #expect(row?.subtitle == "If the network is yours, let Baton look for them here.")
        guard case .buttons(let buttons)? = row?.control else { return fail("no button") }
        #expect(model.handle(.acted(buttons[0].action)) == [.call(.knowNetworks)])
        let said = WindowEffect.toast("Baton looks for your laptops in this network now.", nil)
        #expect(model.handle(.answered(.knowNetworks, .done)) == [said])
    }

    @Test func withoutADaemonTheWindowOffersToStartIt() {
        var model = WindowModel(now: Date())
        _ = model.handle(.daemon(isThere: false))
        #expect(model.page.buttons.map(\.action) == [.request(.start)])
        #expect(model.handle(.acted(.request(.start))) == [.call(.start)])
        #expect(model.page.header == .busy(heading: "Baton is starting", text: ""))
        #expect(model.handle(.failed(.start, BatonError(.daemonNotRunning, .batonStopped))) == [])
        #expect(model.page.buttons.map(\.action) == [.request(.start)])
    }

    @Test func aDaemonThatDoesNotSendItsStatusIsSaidNotToAnswer() {
        var model = WindowModel(now: Date())
        _ = model.handle(.daemon(isThere: true))
        _ = model.handle(.unreachable(BatonError(.failed, .noAnswer)))
        guard case .status(_, "Baton does not answer", _)? = model.page.header else { return fail("not said") }
        #expect(model.page.buttons.map(\.label) == ["Try Again"])
        #expect(model.handle(.acted(model.page.buttons[0].action)) == [.call(.start)])
        _ = model.handle(.answered(.start, .done))
        _ = model.handle(.daemon(isThere: true))
        _ = model.handle(.status(paired()))
        #expect(model.page.section("laptops") != nil)
    }

    @Test func aHeaderIsSaidWithDigitsOneByOne() {
        let header = Page.Header.digits("\u{2066}012 345\u{2069}", heading: "The same?", text: "")
        #expect(header.spoken == "The same?\n0 1 2 3 4 5")
        #expect(Page.Header.text("Show nothing").spoken == "Show nothing")
        #expect(Page.Header.busy(heading: "Wait", text: "Two minutes.").spoken == "Wait\nTwo minutes.")
    }

    @Test func withoutOffersThePageSaysWhatToDo() {
        #expect(connected().page.row("offers", "none")?.title == "Nothing to continue now")
    }

    @Test func anOfferIsContinuedByItsButton() {
        var model = connected()
        _ = model.handle(.offer(.appeared(Self.document)))
        let row = model.page.row("offers", "o1")
        #expect(row?.title == "A document")
        #expect(row?.subtitle == "From “sofa”")
        guard case .buttons(let buttons)? = row?.control else { return fail("no button") }
        #expect(model.handle(.acted(buttons[0].action)) == [.call(.open(offer: "o1"))])
        guard case .busy(let cancel?)? = model.page.row("offers", "o1")?.control else {
            return fail("not busy")
        }
        #expect(model.handle(.acted(cancel.action)) == [.call(.cancel(offer: "o1"))])
    }

    @Test func anOfferForAnAppHasItsName() {
        var model = connected()
        let apps = [AppStatus(application: "org.example.Letters", name: "Briefe", state: .on)]
        _ = model.handle(.apps(InstalledApps(apps: apps, adapters: [])))
        for app in ["org.example.Letters", "org.example.Gone"] {
            let offer = OfferSummary(offer: app, device: "4e5f6a7b", deviceName: "sofa", application: app)
            _ = model.handle(.offer(.appeared(offer)))
        }
        #expect(model.page.row("offers", "org.example.Letters")?.title == "Briefe")
        #expect(model.page.row("offers", "org.example.Gone")?.title == "Gone")
    }

    @Test(arguments: [
        ("desk", "From “desk”"), ("C++", "From “C++”"), ("דנה", "From “\u{2068}דנה\u{2069}”"),
    ])
    func aNameKeepsItsOrderInATextOfAnotherDirection(name: String, shown: String) {
        var model = connected()
        let offer = OfferSummary(offer: "o1", device: "4e5f6a7b", deviceName: name, hasWebpage: true)
        _ = model.handle(.offer(.appeared(offer)))
        #expect(model.page.row("offers", "o1")?.subtitle == shown)
    }

    @Test func aFailedContinuationIsSaidInAToast() {
        var model = connected()
        _ = model.handle(.offer(.appeared(Self.document)))
        _ = model.handle(.acted(.request(.open(offer: "o1"))))
        let effects = model.handle(.failed(.open(offer: "o1"), BatonError(.connectionUnavailable, .outOfReach)))
        guard case .toast(let text, nil)? = effects.first else { return fail("no toast") }
        #expect(text.hasPrefix("It could not be continued. The other laptop does not answer."))
        #expect(model.page.row("offers", "o1")?.control != .busy(nil))
    }

    @Test func whyAContinuationFailedIsSaidIfTheReasonIsKnown() {
        var model = connected()
        let stopped = BatonError(.handoffFailed, .stopped, ["laptop": "sofa"])
        let text =
            "It could not be continued. \"sofa\" hands nothing over to this laptop, because its user has stopped that for an hour. Allow it again on that laptop."
        #expect(model.handle(.failed(.open(offer: "o1"), stopped)) == [.toast(text, nil)])
    }

    @Test func whatIsOfferedFromHereIsShown() {
        var status = paired()
        status.offered = OwnOffer(type: "a", title: "report.pdf", application: "org.batonproject.Adapter.Documents")
        status.withheld = [WithheldItem(name: "secret.txt", reason: "it is private")].compactMap(\.self)
        let rows = connected(status).page.section("own")?.rows
        #expect(rows?.map(\.title) == ["report.pdf", "secret.txt"])
        #expect(rows?.last?.subtitle == "Not offered: it is private")
    }

    @Test func aHiddenOfferIsNotShown() {
        var model = connected()
        var offer = Self.document
        offer.isHidden = true
        _ = model.handle(.offer(.appeared(offer)))
        #expect(model.page.row("offers", "o1") == nil)
    }

    @Test func aTitleIsOneShortLineWithoutControls() {
        var model = connected()
        var offer = Self.document
        offer.title = "<b>a</b>\u{202E}\nb" + String(repeating: "x", count: 10_000)
        _ = model.handle(.offer(.appeared(offer)))
        let title = model.page.row("offers", "o1")?.title ?? ""
        #expect(title.hasPrefix("<b>a</b> b"))
        #expect(title.count <= 82 && !title.contains("\u{202E}") && !title.contains(where: \.isNewline))
    }

    @Test func soManyOffersAreShownAtMost() {
        var model = connected()
        for number in 0..<500 {
            var offer = Self.document
            offer.offer = "o\(number)"
            _ = model.handle(.offer(.appeared(offer)))
        }
        #expect(model.page.section("offers")?.rows.count == 100)
    }

    @Test func theFirstFindingIsOnTopWithItsButton() {
        let page = connected(paired(findings: [Finding(.adapterOff)])).page
        #expect(page.sections.first?.id == "finding")
        #expect(page.row("finding", "finding")?.title == "Bluetooth is off.")
        #expect(page.row("more", "trouble")?.subtitle == "Baton finds 1 problem.")
    }

    @Test func aProblemComesBeforeAWarningAboutWhatWorks() {
        // The daemon's list begins with the radio.
        let findings = [
            Finding(.bluetoothPlain), Finding(.addressPublic, ["adapter": "hci0"]), Finding(.sequenceUsedUp),
        ]
        let page = connected(paired(findings: findings)).page
        #expect(page.row("finding", "finding")?.title == "This laptop has used up the numbers for its offers.")
        #expect(page.row("more", "trouble")?.subtitle == "Baton finds 3 problems.")
        let warnings = connected(paired(findings: Array(findings.dropLast()))).page
        #expect(warnings.row("finding", "finding")?.title.hasPrefix("Bluetooth scanning uses more power") == true)
    }

    @Test func aDaemonOfAnotherVersionIsAProblem() {
        var status = paired()
        status.version = BatonVersion.current
        #expect(connected(status).page.section("finding") == nil)
        status.version = "0.0.1"
        let row = connected(status).page.row("finding", "finding")
        #expect(row?.title == "Baton 0.0.1 is running, and \(BatonVersion.current) is installed.")
        #expect(row?.subtitle == "Log out, and log in again.")
    }

    @Test func pausingAndResumingAreOneClick() {
        var model = connected()
        guard case .buttons(let buttons)? = model.page.row("more", "pause")?.control else {
            return fail("no buttons")
        }
        #expect(buttons.map(\.action) == [.request(.pause(seconds: 3_600)), .request(.pause(seconds: nil))])
        var status = paired()
        status.isPaused = true
        _ = model.handle(.status(status))
        guard case .buttons(let resume)? = model.page.row("more", "pause")?.control else {
            return fail("no button")
        }
        #expect(resume.map(\.action) == [.request(.resume)])
    }

    @Test func aDaemonThatEndsTakesItsOffersAlong() {
        var model = connected()
        _ = model.handle(.offer(.appeared(Self.document)))
        _ = model.handle(.daemon(isThere: false))
        _ = model.handle(.daemon(isThere: true))
        #expect(model.page.row("offers", "o1") == nil)
    }

    @Test func whatAnotherDaemonMayNotHaveIsForgottenWithTheFormerOne() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        _ = model.handle(.files(UserFiles(folders: [], copies: [])))
        #expect(model.page.section("files") != nil)
        _ = model.handle(.daemon(isThere: false))
        _ = model.handle(.daemon(isThere: true))
        #expect(model.page.section("files") == nil)
    }
}
