// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

/// The page with the user's permissions and rules, and with the history.
struct PrivacyPage {
    let status: DaemonStatus
    let settings: UserSettings
    /// The history, or nil if the daemon has not sent it.
    let history: [HistoryEntry]?
    /// The copies and folders, or nil if the daemon has not sent them.
    let userFiles: UserFiles?
    let apps: InstalledApps
    let now: Date

    var page: Page {
        Page(
            title: tr("Privacy and Rules"),
            sections: [notifications, near, ruleList, files, networks, webSites, historyList].compactMap(\.self))
    }

    private var rules: [String] { settings.rules }

    private var notifications: Page.Section? {
        let rows = [
            toggle("notify", tr("Show notifications of offers"), key: "notifications"),
            choice(
                "locked", tr("On the locked screen"), key: "notifications.on-lock-screen",
                [("hide", tr("Nothing")), ("app", tr("The app's name")), ("full", tr("Everything"))]),
        ]
        return section("notifications", tr("Notifications"), rows)
    }

    private var networks: Page.Section? {
        let text = tr(
            "In a network, your laptops find each other even without Bluetooth. A network is known after they have met there, or after you have allowed it."
        )
        let rows = [
            choice(
                "look", tr("Look for your laptops"), key: "lan",
                [
                    (LanUse.off.rawValue, tr("In no network")), (LanUse.known.rawValue, tr("In known networks")),
                    (LanUse.always.rawValue, tr("In every network")),
                ]),
            toggle(
                "titles", tr("Tell titles in advance"),
                tr("In a network, your other laptops show the title of what is open here before you continue it."),
                key: "titles", on: "tell", off: "ask"),
        ]
        return section("networks", tr("Networks"), text: text, rows)
    }

    private var webSites: Page.Section? {
        let ask = toggle(
            "ask", tr("Ask web sites about apps"),
            tr(
                "An app continues the pages of a site only if the site agrees. The site learns that somebody at your internet address has such an app."
            ), key: "domains")
        return section("sites", tr("Web Sites"), [ask])
    }

    private var historyLength: Row? {
        guard let value = settings.values["history"] else { return nil }
        let known = ["off": 0, "1440m": 1, "10080m": 2, "43200m": 3]
        var texts = [tr("Not at all"), tr("A day"), tr("A week"), tr("30 days")]
        var lengths = ["off", "1d", "7d", "30d"]
        if known[value] == nil {
            // The file of settings may have any time.
            texts.append(tr("Another period"))
            lengths.append(value)
        }
        return Row(
            id: "length", title: tr("Keep the history"),
            control: .choice(
                texts, selected: known[value] ?? texts.count - 1,
                lengths.map { .request(.set("history", to: $0)) }))
    }

    // MARK: - Settings

    /// Returns a section with the known rows, or nil if none is known.
    private func section(_ id: String, _ title: String, text: String = "", _ rows: [Row?]) -> Page.Section? {
        let known = rows.compactMap(\.self)
        return known.isEmpty ? nil : Page.Section(id: id, title: title, text: text, rows: known)
    }

    /// Returns the row of a setting with two values, or nil if the daemon has not sent it.
    private func toggle(
        _ id: String, _ title: String, _ subtitle: String = "", key: String, on: String = "on", off: String = "off"
    ) -> Row? {
        settings.values[key].map { value in
            Row(
                id: id, title: title, subtitle: subtitle,
                control: .toggle(
                    isOn: value == on, on: .request(.set(key, to: on)), off: .request(.set(key, to: off))))
        }
    }

    /// Returns the row of a setting with several values, or nil if the daemon has not sent it.
    private func choice(_ id: String, _ title: String, key: String, _ choices: [(value: String, text: String)])
        -> Row?
    {
        guard let selected = choices.firstIndex(where: { $0.value == settings.values[key] }) else { return nil }
        return Row(
            id: id, title: title,
            control: .choice(
                choices.map(\.text), selected: selected, choices.map { .request(.set(key, to: $0.value)) }))
    }

    // MARK: - Rules and files

    private var others: [CircleMember] { status.members.filter { !$0.isThisDevice } }

    private var near: Page.Section? {
        guard !others.isEmpty else { return nil }
        let rows = others.prefix(WindowModel.maximumRows).map { member in
            let number = rules.firstIndex { RuleText.isNear($0, device: member.device) }.map { $0 + 1 }
            return Row(
                id: member.device,
                title: tr(
                    "When “{laptop}” is near, automatically continue what it offers",
                    ["laptop": MemberText.name(of: member.device, in: status.members)]),
                control: .toggle(
                    isOn: number != nil,
                    on: .request(.addRule(RuleText.near(device: member.device), number: nil)),
                    off: .request(.removeRule(number ?? 0))))
        }
        return Page.Section(
            id: "near", title: tr("By Itself"), text: tr("Web pages still need a click."), rows: rows)
    }

    private var ruleList: Page.Section {
        let rows = rules.enumerated().map { index, rule in
            let number = index + 1
            let sentence = RuleText.sentence(rule, members: status.members, apps: apps)
            var buttons: [PageButton] = []
            if index > 0 {
                let up = BusRequest.moveRule(rule, from: number, to: number - 1)
                buttons.append(PageButton(tr("Move Up"), .request(up), icon: "go-up-symbolic"))
            }
            if RuleDraft(rule) != nil {
                buttons.append(
                    PageButton(tr("Change"), .writeRule(number: number), icon: "document-edit-symbolic"))
            }
            buttons.append(PageButton(tr("Remove"), .request(.removeRule(number)), icon: "user-trash-symbolic"))
            // The list may contain the same rule twice, but each row needs an id of its own.
            let occurrence = rules[..<index].count { $0 == rule }
            return Row(
                id: occurrence == 0 ? rule : "\(rule) \(occurrence)", title: sentence, control: .buttons(buttons))
        }
        let add = Row(
            id: "add", title: tr("Add a rule"), icon: "list-add-symbolic", control: .open(.writeRule(number: nil)))
        return Page.Section(
            id: "rules", title: tr("Rules"), text: tr("The first rule that fits decides."), rows: rows + [add])
    }

    private var files: Page.Section? {
        guard let userFiles else { return nil }
        let copies = Row(
            id: "copies", title: tr("Copies"),
            subtitle: ntr(
                "{count} document of another laptop", "{count} documents of other laptops", userFiles.copies.count),
            control: .open(.show(.copies)))
        let folders = Row(
            id: "folders", title: tr("Shared Folders"),
            subtitle: ntr("{count} folder", "{count} folders", userFiles.folders.count), control: .open(.show(.folders))
        )
        return Page.Section(id: "files", title: tr("Files"), rows: [copies, folders])
    }

    private var historyList: Page.Section? {
        let text = tr("What your other laptops have continued from this one.")
        return section("history", tr("History"), text: text, historyRows + [historyLength, forgetRow])
    }

    private var historyRows: [Row?] {
        guard let history else { return [] }
        guard !history.isEmpty else { return [Row(id: "none", title: tr("Nothing has left this laptop"))] }
        return history.prefix(WindowModel.maximumRows).enumerated().map { index, entry in
            Row(
                id: "\(index)", title: ShownText.name(entry.application.map(apps.name(of:)) ?? entry.type),
                subtitle: tr(
                    "To “{laptop}”, {time}",
                    ["laptop": ShownText.name(entry.deviceName), "time": TimeText.moment(entry.last, now: now)]))
        }
    }

    private var forgetRow: Row? {
        guard history?.isEmpty == false else { return nil }
        return Row(
            id: "forget", title: tr("Delete the history"),
            control: .buttons([PageButton(tr("Delete…"), .ask(.forgetHistory), style: .destructive)]))
    }
}
