// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import WindowModel

@Suite struct AppsPageTests {
    private static let request = AppGrant(
        sandbox: "flatpak", application: "org.example.Letters", state: .pending, types: ["org.example.note"])
    private static let documents = AdapterStatus(
        adapter: "org.batonproject.Adapter.Documents", name: "Documents", state: .on, types: ["a.document"])

    private func shown(apps: [AppStatus] = [], adapters: [AdapterStatus] = [], grants: [AppGrant] = []) -> WindowModel {
        var model = connected()
        #expect(model.handle(.acted(.show(.apps))) == [.call(.readApps)])
        _ = model.handle(.apps(InstalledApps(apps: apps, adapters: adapters)))
        _ = model.handle(.grants(grants))
        return model
    }

    @Test func noAppTakesPartOnlyWhenTheAppsAreKnown() {
        var model = connected()
        _ = model.handle(.acted(.show(.apps)))
        guard case .busy? = model.page.header else { return fail("not busy") }
        // An older daemon knows no apps.
        #expect(model.handle(.failed(.readApps, BatonError(.failed, .noAnswer))) == [])
        guard case .status(_, "No app here takes part", _)? = model.page.header else { return fail("still busy") }
    }

    @Test func aBrowserTakesPartOnlyAfterTheUserHasAgreedThere() {
        let notes = AppStatus(application: "a.b", name: "Notes", state: .on, types: ["a.b.note"])
        let browser = AppStatus(application: "firefox-esr", name: "Firefox", state: .on, goesOn: "page")
        let page = shown(apps: [notes, browser]).page
        #expect(page.row("apps", "a.b")?.subtitle == "Takes part by itself")
        #expect(
            page.row("apps", "firefox-esr")?.subtitle
                == "Takes part after you restart it, click Baton's button in its toolbar, and agree.")
    }

    @Test func aRequestIsAllowedOrRefusedByAButton() {
        var model = shown(grants: [Self.request])
        let row = model.page.section("requests")?.rows.first
        #expect(row?.title == "org.example.Letters (Flatpak)")
        #expect(row?.subtitle == "It wants to get and to publish org.example.note.")
        guard case .buttons(let buttons)? = row?.control else { return fail("no buttons") }
        #expect(buttons.map(\.label) == ["Refuse", "Allow"])
        #expect(model.handle(.acted(buttons[1].action)) == [.call(.answerGrant(Self.request, isAllowed: true))])
    }

    @Test func aPermissionIsTakenBackByASwitch() {
        var granted = Self.request
        granted.state = .granted
        var model = shown(grants: [granted])
        guard case .toggle(true, _, let off)? = model.page.section("answered")?.rows.first?.control else {
            return fail("no switch")
        }
        #expect(model.handle(.acted(off)) == [.call(.answerGrant(granted, isAllowed: false))])
    }

    @Test func aSandboxedAppIsShownByItsIdWithoutTextThatMoves() {
        var hostile = Self.request
        (hostile.application, hostile.team) = ("org.\u{202E}evil", String(repeating: "t", count: 9_000))
        hostile.types = (0..<500).map { "org.example.type\($0)" }
        let row = shown(grants: [hostile]).page.section("requests")?.rows.first
        #expect(row?.title.contains("\u{202E}") == false)
        #expect((row?.subtitle.count ?? 9_999) < 800)
        #expect(row?.subtitle.contains("org.example.type7, and 492 more types of the team") == true)
    }

    @Test func anAdapterIsSwitchedOff() {
        var model = shown(adapters: [Self.documents])
        guard case .toggle(true, _, let off)? = model.page.section("adapters")?.rows.first?.control else {
            return fail("no switch")
        }
        #expect(model.handle(.acted(off)) == [.call(.switchAdapter(Self.documents.adapter, isOn: false))])
    }

    @Test func anAdapterOfTheUserIsAllowed() {
        var own = Self.documents
        own.state = .pending
        var model = shown(adapters: [own])
        guard case .buttons(let buttons)? = model.page.section("adapters")?.rows.first?.control else {
            return fail("no buttons")
        }
        #expect(model.handle(.acted(buttons[1].action)) == [.call(.answerAdapter(own.adapter, isAllowed: true))])
    }

    @Test func whatAnAppLacksIsInstalledByTheDesktop() {
        let player = AppStatus(
            application: "mpv", name: "mpv", state: .missing, adapter: Self.documents.adapter, package: "mpv-mpris")
        var model = shown(apps: [player], adapters: [Self.documents])
        let row = model.page.row("apps", "mpv")
        #expect(row?.subtitle == "It needs the package mpv-mpris.")
        guard case .buttons(let buttons)? = row?.control else { return fail("no button") }
        guard case .install("mpv-mpris", _)? = model.handle(.acted(buttons[0].action)).first else {
            return fail("not installed")
        }
    }

    @Test(arguments: ["-y evil", "a b", "", "UPPER", "a;b", String(repeating: "a", count: 101)])
    func noTextThatIsNoPackageIsInstalled(text: String) {
        let app = AppStatus(application: "a", name: "A", state: .missing, adapter: "z", package: text)
        #expect(shown(apps: [app]).page.row("apps", "a")?.control == Row.Control.none)
    }

    @Test func theUserChoosesTheAppForAKindThatSeveralContinue() {
        let own = AppStatus(application: "org.example.Reader", name: "Reader", state: .on, types: ["a.document", "b"])
        var model = shown(apps: [own], adapters: [Self.documents])
        guard case .choice(let texts, 0, let actions)? = model.page.row("defaults", "a.document")?.control else {
            return fail("no choice")
        }
        #expect(model.page.row("defaults", "a.document")?.title == "Documents")
        #expect(texts == ["Automatic", "Documents", "Reader"] && model.page.section("defaults")?.rows.count == 1)
        #expect(model.handle(.acted(actions[2])) == [.call(.set("default-app.a.document", to: "org.example.Reader"))])
        _ = model.handle(
            .settings(UserSettings(values: ["default-app.a.document": "org.example.Reader"], rules: [])))
        guard case .choice(_, 2, let again)? = model.page.row("defaults", "a.document")?.control else {
            return fail("not chosen")
        }
        #expect(model.handle(.acted(again[0])) == [.call(.set("default-app.a.document", to: ""))])
    }

    @Test func eachListIsBounded() {
        let apps = (0..<1_000).map { AppStatus(application: "a\($0)", name: "A", state: .on) }
        let grants = (0..<1_000).map { AppGrant(sandbox: "snap", application: "s\($0)", state: .pending) }
        let page = shown(apps: apps, grants: grants).page
        #expect(page.sections.allSatisfy { $0.rows.count <= 100 })
    }

    @Test func aNotificationsClickOpensThePageOnce() {
        var model = shown()
        #expect(model.handle(.acted(.show(.apps))) == [])
        #expect(model.depth == 1)
    }

    @Test func requestsLeadFromTheFirstPageToTheAnswers() {
        let finding = Finding(.grantsPending, ["count": .count(2)])
        let page = connected(paired(findings: [finding])).page
        let row = page.row("questions", "grants-pending")
        #expect(row?.title == "2 sandboxed apps ask for activities of other apps.")
        #expect(row?.subtitle == "Answer them under Apps.")
        #expect(page.section("finding") == nil)
    }
}
