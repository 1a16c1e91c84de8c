// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import Testing

@testable import WindowModel

@Suite struct RulePageTests {
    private func model(rules: [String]) -> WindowModel {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        _ = model.handle(.settings(UserSettings(values: [:], rules: rules)))
        return model
    }

    /// Chooses a text in a row of the rule's page.
    private func choose(_ text: String, in row: String, _ model: inout WindowModel) {
        guard case .choice(let texts, _, let actions)? = model.page.row("rule", row)?.control,
            let index = texts.firstIndex(of: text)
        else { return fail("no choice \(text) in \(row)") }
        #expect(model.handle(.acted(actions[index])) == [])
    }

    @Test func aRuleIsWrittenByChoicesAndShownAsASentence() {
        var model = model(rules: [])
        let notes = AppStatus(application: "a.b", name: "Notes", state: .on, types: ["a.b.note"])
        _ = model.handle(.apps(InstalledApps(apps: [notes], adapters: [])))
        _ = model.handle(.acted(.writeRule(number: nil)))
        choose("sofa", in: "laptop", &model)
        choose("Notes", in: "app", &model)
        choose("In the same room", in: "distance", &model)
        #expect(model.page.header == .text("When “sofa” is near, automatically continue Notes from it"))
        #expect(
            model.handle(.acted(.saveRule)) == [.call(.addRule("near device=4e5f6a7b app=a.b signal=-75", number: nil))]
        )
        #expect(model.route == .privacy)
    }

    @Test func noRuleContinuesWhatABrowserShowsWithoutAClick() {
        var model = model(rules: [])
        let browser = AppStatus(application: "firefox-esr", name: "Firefox", state: .on)
        _ = model.handle(.apps(InstalledApps(apps: [browser], adapters: [])))
        _ = model.handle(.acted(.writeRule(number: nil)))
        for (action, isThere) in [("Continue by itself", false), ("Do not show", true), ("Keep on this laptop", true)] {
            choose(action, in: "action", &model)
            guard case .choice(let texts, _, _)? = model.page.row("rule", "app")?.control else {
                return fail("no apps")
            }
            #expect(texts.contains("Firefox") == isThere)
        }
    }

    @Test func aRuleIsChangedAtItsPlace() {
        var model = model(rules: ["ask", "near device=4e5f6a7b signal=-45"])
        _ = model.handle(.acted(.writeRule(number: 2)))
        guard case .choice(_, 0, _)? = model.page.row("rule", "distance")?.control else { return fail("no distance") }
        choose("Do not show", in: "action", &model)
        #expect(model.page.row("rule", "distance") == nil)
        #expect(model.handle(.acted(.saveRule)) == [.call(.replaceRule(2, by: "never device=4e5f6a7b"))])
    }

    @Test func aRuleIsReplacedWhereItIsWhenItIsSaved() {
        var model = model(rules: ["ask", "hide app=a", "near device=4e5f6a7b"])
        _ = model.handle(.acted(.writeRule(number: 2)))
        choose("Do not show", in: "action", &model)
        _ = model.handle(.settings(UserSettings(values: [:], rules: ["hide app=a", "near device=4e5f6a7b"])))
        #expect(model.handle(.acted(.saveRule)) == [.call(.replaceRule(1, by: "never app=a"))])
        _ = model.handle(.acted(.writeRule(number: 1)))
        _ = model.handle(.settings(UserSettings(values: [:], rules: ["near device=4e5f6a7b"])))
        #expect(model.handle(.acted(.saveRule)) == [.call(.addRule("hide app=a", number: nil))])
    }

    @Test func aRuleThatStaysOnThisLaptopNamesNoOther() {
        var model = model(rules: ["never device=4e5f6a7b"])
        _ = model.handle(.acted(.writeRule(number: 1)))
        choose("Keep on this laptop", in: "action", &model)
        #expect(model.page.row("rule", "laptop") == nil)
        #expect(model.handle(.acted(.saveRule)) == [.call(.replaceRule(1, by: "hide"))])
    }

    @Test(arguments: ["near type=org.example.a", "near signal=-50", "new verb", "ask device=\"my desk\"", "ask x"])
    func aRuleThatSaysMoreThanTheChoicesIsNotChangedHere(rule: String) {
        let page = model(rules: [rule]).page
        guard case .buttons(let buttons)? = page.row("rules", rule)?.control else { return fail("no buttons") }
        #expect(buttons.map(\.label) == ["Remove"])
    }

    @Test(arguments: RuleDraft.Action.allCases)
    func everyRuleOfTheChoicesHasASentence(action: RuleDraft.Action) {
        for device in [nil, "4e5f6a7b"] {
            for app in [nil, "org.example.Letters"] {
                var draft = RuleDraft()
                (draft.action, draft.device, draft.app) = (action, device, app)
                var model = model(rules: [])
                _ = model.handle(.acted(.writeRule(number: nil)))
                _ = model.handle(.acted(.changeRule(draft)))
                #expect(model.page.header != .text(draft.rule))
            }
        }
    }

    @Test func aRuleMovesUp() {
        var model = model(rules: ["ask", "never app=a", "never app=a"])
        #expect(Set(model.page.section("rules")?.rows.map(\.id) ?? []).count == 4)
        guard case .buttons(let buttons)? = model.page.section("rules")?.rows[1].control else {
            return fail("no buttons")
        }
        #expect(buttons.map(\.label) == ["Move Up", "Change", "Remove"])
        #expect(model.handle(.acted(buttons[0].action)) == [.call(.moveRule("never app=a", from: 2, to: 1))])
    }
}

@Suite struct UnknownTests {
    @Test func nothingIsSaidOfAHistoryThatIsUnknown() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        #expect(model.page.row("history", "none") == nil)
        #expect(model.page.section("files") == nil)
        _ = model.handle(.history([]))
        _ = model.handle(.files(UserFiles()))
        #expect(model.page.row("history", "none") != nil)
        #expect(model.page.section("files") != nil)
    }

    @Test func theHistoryNamesTheApp() {
        var model = connected()
        _ = model.handle(.acted(.show(.privacy)))
        let apps = [AppStatus(application: "org.example.Letters", name: "Briefe", state: .on)]
        _ = model.handle(.apps(InstalledApps(apps: apps, adapters: [])))
        _ = model.handle(
            .history([
                HistoryEntry(
                    first: Date(timeIntervalSince1970: 1), last: Date(timeIntervalSince1970: 2), device: "4e5f6a7b",
                    deviceName: "sofa", application: "org.example.Letters", type: "org.example.letter")
            ]))
        #expect(model.page.row("history", "0")?.title == "Briefe")
    }

    @Test func whyAChangeWasRefusedIsSaidByTheDaemon() {
        var model = connected()
        let gone = BatonError(.notFound, .ruleMissing, ["number": .count(3)])
        let text = "There is no rule 3. Look at the rules, and try again."
        #expect(model.handle(.failed(.removeRule(3), gone)) == [.toast(text, nil)])
    }
}

@Suite struct FilePageTests {
    private func model(_ files: UserFiles, _ route: Route) -> WindowModel {
        var model = connected()
        _ = model.handle(.files(files))
        _ = model.handle(.acted(.show(route)))
        return model
    }

    @Test func aCopyIsOpenedOrMovedToTheBin() {
        let copy = DocumentCopy(path: "/c/report.pdf", size: 5, changed: Date(timeIntervalSince1970: 1_700_000_000))
        var model = model(UserFiles(copies: [copy]), .copies)
        guard case .buttons(let buttons)? = model.page.row("copies", copy.path)?.control else {
            return fail("no buttons")
        }
        #expect(model.page.row("copies", copy.path)?.title == "report.pdf")
        #expect(model.handle(.acted(buttons[0].action)) == [.openFile(copy.path)])
        #expect(model.handle(.acted(buttons[1].action)) == [.trash(copy.path, done: "The copy is in the bin.")])
    }

    @Test func aFolderIsSharedUnderItsNameAndRemovedWithUndo() {
        var model = model(UserFiles(folders: [SharedFolder(name: "Notes", path: "/n")]), .folders)
        #expect(model.handle(.acted(.chooseFolder)) == [.chooseFolder])
        let shared = model.handle(.acted(.shareFolder("/home/me/Notes")))
        #expect(shared == [.call(.setFolder("Notes 2", path: "/home/me/Notes"))])
        guard case .toast? = model.handle(.acted(.shareFolder("/"))).first else { return fail("no message") }
        guard case .buttons(let buttons)? = model.page.row("folders", "Notes")?.control else {
            return fail("no button")
        }
        let effects = model.handle(.acted(buttons[0].action))
        #expect(effects.first == .call(.setFolder("Notes", path: "")))
        guard case .toast(_, let undo?)? = effects.last else { return fail("no undo") }
        #expect(undo.action == .request(.setFolder("Notes", path: "/n")))
    }

    @Test func hostileNamesAndLongListsAreCut() {
        let name = "a\u{202E}\n" + String(repeating: "b", count: 5_000)
        let copies = (0..<500).map { DocumentCopy(path: "/\($0)/\(name)", size: 0, changed: .distantPast) }
        let folders = (0..<500).map { SharedFolder(name: "\($0)\(name)", path: "/\(name)") }
        for route in [Route.copies, .folders] {
            let rows = model(UserFiles(folders: folders, copies: copies), route).page.sections[0].rows
            #expect(rows.count <= 101)
            #expect(rows.allSatisfy { $0.title.count < 200 && !$0.title.contains("\u{202E}") })
            #expect(rows.allSatisfy { $0.subtitle.count < 300 })
        }
    }
}

@Suite struct LookingTests {
    private let alone = DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk")

    @Test func theWelcomeListensWhileItIsOnTheScreen() {
        var model = WindowModel(now: Date())
        #expect(model.handle(.daemon(isThere: true)) == [])
        #expect(model.handle(.status(alone)) == [.call(.lookForPairing(true))])
        #expect(model.handle(.status(alone)) == [])
        #expect(model.handle(.window(isShown: false)) == [.call(.lookForPairing(false))])
        #expect(model.handle(.window(isShown: true)) == [.call(.lookForPairing(true))])
        #expect(model.handle(.acted(.show(.trouble))) == [.readSystem, .call(.lookForPairing(false))])
        _ = model.handle(.acted(.back))
        #expect(model.handle(.status(paired())) == [.call(.lookForPairing(false))])
        // A restarted daemon does not know the request, so it is sent again.
        _ = model.handle(.status(alone))
        _ = model.handle(.daemon(isThere: false))
        #expect(model.handle(.daemon(isThere: true)) == [.call(.lookForPairing(true))])
    }

    @Test func aLaptopThatIsBeingAddedNearbyIsShown() {
        var status = alone
        status.pairingNearby = 1
        let page = connected(status).page
        #expect(page.row("nearby", "nearby")?.title == "A laptop nearby is being added")
    }
}
