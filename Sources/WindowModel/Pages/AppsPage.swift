// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// The page with the installed apps, and with the requests of sandboxed ones.
struct AppsPage {
    /// The apps, or nil if the daemon has not sent them.
    let known: InstalledApps?
    let grants: [AppGrant]
    let settings: UserSettings

    init(apps: InstalledApps?, grants: [AppGrant], settings: UserSettings) {
        (known, self.grants, self.settings) = (apps, grants, settings)
    }

    private var apps: InstalledApps { known ?? InstalledApps(apps: [], adapters: []) }

    var page: Page {
        var page = Page(title: tr("Apps"))
        page.sections = [requests, answered, adapters, takingPart, defaults].compactMap(\.self)
        guard page.sections.isEmpty else { return page }
        guard known != nil else {
            page.header = .busy(heading: tr("Looking for the apps of this laptop"), text: "")
            return page
        }
        page.header = .status(
            icon: "org.batonproject.Baton", heading: tr("No app here takes part"),
            text: tr("Install a media player, a document viewer or an editor. Web pages need an extension."))
        return page
    }

    // MARK: - Sandboxed apps

    private var requests: Page.Section? {
        section("requests", tr("Requests"), grants.filter { $0.state == .pending }) { grant in
            Row(
                id: GrantText.id(grant), title: GrantText.title(grant), subtitle: GrantText.wish(grant),
                icon: "dialog-question-symbolic",
                control: .buttons([
                    PageButton(tr("Refuse"), .request(.answerGrant(grant, isAllowed: false))),
                    PageButton(tr("Allow"), .request(.answerGrant(grant, isAllowed: true)), style: .suggested),
                ]))
        }
    }

    private var answered: Page.Section? {
        section("answered", tr("Permissions"), grants.filter { [.granted, .refused].contains($0.state) }) { grant in
            Row(
                id: GrantText.id(grant), title: GrantText.title(grant), subtitle: GrantText.right(grant),
                control: .toggle(
                    isOn: grant.state == .granted, on: .request(.answerGrant(grant, isAllowed: true)),
                    off: .request(.answerGrant(grant, isAllowed: false))))
        }
    }

    // MARK: - Adapters and apps

    private var adapters: Page.Section? {
        section("adapters", tr("What Goes On"), apps.adapters) { adapter in
            Row(
                id: adapter.adapter, title: ShownText.name(adapter.name), subtitle: AppText.note(adapter),
                control: control(of: adapter))
        }
    }

    private func control(of adapter: AdapterStatus) -> Row.Control {
        func answer(_ isAllowed: Bool) -> WindowAction {
            .request(.answerAdapter(adapter.adapter, isAllowed: isAllowed))
        }
        func turn(_ isOn: Bool) -> WindowAction { .request(.switchAdapter(adapter.adapter, isOn: isOn)) }
        return switch adapter.state {
        case .pending:
            .buttons([
                PageButton(tr("Refuse"), answer(false)), PageButton(tr("Allow"), answer(true), style: .suggested),
            ])
        case .refused: .buttons([PageButton(tr("Allow"), answer(true))])
        case .on, .off: .toggle(isOn: adapter.state == .on, on: turn(true), off: turn(false))
        default: .none
        }
    }

    private var takingPart: Page.Section? {
        // Apps that lack something come last.
        let sorted = apps.apps.filter { $0.state == .on } + apps.apps.filter { $0.state != .on }
        return section("apps", tr("Installed Apps"), sorted) { app in
            let install = AppText.package(for: app).map { PageButton(tr("Install…"), .install(package: $0)) }
            return Row(
                id: app.application, title: ShownText.name(app.name),
                subtitle: AppText.state(of: app, adapters: apps.adapters), icon: AppText.icon(of: app),
                control: install.map { .buttons([$0]) } ?? .none)
        }
    }

    // MARK: - The app for each kind

    /// The kinds of activities that several apps continue here, with the user's choice.
    private var defaults: Page.Section? {
        let kinds = AppChoices(apps).kinds
        var section = section("defaults", tr("Continue With"), kinds) { kind in
            let key = "default-app.\(kind.type)"
            let chosen = settings.values[key].flatMap { app in kind.apps.firstIndex { $0.id == app } }
            return Row(
                id: kind.type, title: name(of: kind.type),
                control: .choice(
                    [tr("Automatic")] + kind.apps.map { ShownText.name($0.name) },
                    selected: chosen.map { $0 + 1 } ?? 0,
                    [.request(.set(key, to: ""))] + kind.apps.map { .request(.set(key, to: $0.id)) }))
        }
        section?.text = tr("Several apps here continue these activities.")
        return section
    }

    /// Returns the name of a kind of activities, or its type if it has no other name.
    private func name(of type: String) -> String {
        guard type != OfferText.browsing else { return tr("A web page") }
        return ShownText.name(apps.adapters.first { $0.types == [type] }?.name ?? type)
    }

    private func section<Value>(_ id: String, _ title: String, _ values: [Value], _ row: (Value) -> Row)
        -> Page.Section?
    {
        let rows = values.prefix(WindowModel.maximumRows).map(row)
        return rows.isEmpty ? nil : Page.Section(id: id, title: title, rows: rows)
    }
}
