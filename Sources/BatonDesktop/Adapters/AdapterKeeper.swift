// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis

/// Decides which installed adapters are active.
///
/// Adapters of system packages are active. Adapters in the user's own directory are active only if
/// the user has allowed them. A switch can turn off each adapter.
struct AdapterKeeper: Sendable {
    private let store: AdapterStore
    /// The installed adapters, sorted by id.
    private var installed: [DesktopEntry] = []
    /// All installed apps, by id.
    private var entries: [String: DesktopEntry] = [:]
    private var switches = AdapterSwitches()
    /// The root directory of the browsers' files. Except in tests it is empty, which means `/`.
    private let root: String

    init(store: AdapterStore, root: String = "") { (self.store, self.root) = (store, root) }

    /// Replaces the installed apps and the adapter switches.
    ///
    /// - Returns: The apps without the inactive adapters.
    mutating func admit(_ index: DesktopEntryIndex, _ switches: AdapterSwitches) -> DesktopEntryIndex {
        (installed, entries, self.switches) = (index.adapters, index.entries, switches)
        let active = Set(active)
        return DesktopEntryIndex(
            index.entries.values.filter { !$0.isAdapter || active.contains($0.identifier) },
            mimeDefaults: index.mimeDefaults)
    }

    var active: [String] { installed.filter { state(of: $0) == .on }.map(\.identifier) }

    /// The ids by which rules may name the apps of this laptop's activities.
    var ownAppNames: OwnAppNames {
        var names = OwnAppNames()
        for adapter in installed {
            for type in adapter.continuableTypes { names.adapters[type, default: []].insert(adapter.identifier) }
        }
        names.browsers = Set(entries.keys.filter { BrowserFacts(of: $0) != nil })
        return names
    }

    /// A finding for each switch whose adapter is not installed.
    var idleSwitches: [Finding] {
        switches.off.subtracting(installed.map(\.identifier)).sorted().map {
            Finding(.settingsMistake, ["adapter": .text($0)])
        }
    }

    /// The finding about adapters that wait for the user's decision, or nil if none waits.
    var finding: Finding? {
        guard installed.contains(where: { state(of: $0) == .pending }) else { return nil }
        return Finding(.adaptersPending, command: "baton adapters")
    }

    /// The status of each installed adapter.
    var summaries: [AdapterStatus] {
        installed.map {
            AdapterStatus(
                adapter: $0.identifier, name: $0.name, state: state(of: $0), isOfUser: $0.ownContents != nil,
                applications: $0.adaptedApps, types: $0.continuableTypes)
        }
    }

    /// The installed apps that can take part, by themselves or by an adapter, sorted by id.
    ///
    /// The list contains an app in three cases: an adapter's entry has a group for it, its own
    /// entry declares activities, or it is a browser that takes the extension from the system.
    var apps: [AppStatus] {
        entries.values.filter { !$0.isAdapter }.sorted { $0.identifier < $1.identifier }.compactMap(status)
    }

    private func status(of app: DesktopEntry) -> AppStatus? {
        let adapter = installed.first { $0.adaptedFacts[app.identifier] != nil }
        guard let adapter, let facts = adapter.adaptedFacts[app.identifier] else {
            if let facts = BrowserFacts(of: app.identifier) { return status(of: app, facts) }
            guard !app.continuableTypes.isEmpty else { return nil }
            return AppStatus(application: app.identifier, name: app.name, state: .on, types: app.continuableTypes)
        }
        var status = AppStatus(
            application: app.identifier, name: app.name, state: AppStatus.State(rawValue: state(of: adapter).rawValue),
            adapter: adapter.identifier, goesOn: facts.goesOn, types: adapter.continuableTypes)
        if app.sandboxedApp != nil {
            status.state = .sandboxed
        } else if !facts.isComplete {
            (status.state, status.package) = (.missing, facts.package)
        }
        return status
    }

    private func status(of browser: DesktopEntry, _ facts: BrowserFacts) -> AppStatus {
        var status = AppStatus(
            application: browser.identifier, name: browser.name, state: .on, goesOn: BrowserFacts.goesOn)
        if browser.sandboxedApp != nil {
            status.state = .sandboxed
        } else if !facts.isComplete(below: root) {
            (status.state, status.package) = (.missing, BrowserFacts.package)
        }
        return status
    }

    /// Records the user's decision on an adapter in the user's own directory.
    ///
    /// - Throws: ``BatonError``.
    func answer(_ isAllowed: Bool, to adapter: String) throws {
        guard let contents = try entry(adapter).ownContents else {
            throw BatonError(.invalidArgument, .adapterOfPackage, ["adapter": .text(adapter)])
        }
        try store.answer(isAllowed, to: adapter, entry: contents, among: installed.map(\.identifier))
    }

    /// Returns the desktop entry of an installed adapter.
    ///
    /// - Throws: ``BatonError`` with `notFound`.
    func entry(_ adapter: String) throws -> DesktopEntry {
        guard let entry = installed.first(where: { $0.identifier == adapter }) else {
            throw BatonError(.notFound, .adapterUnknown, ["adapter": .text(adapter)])
        }
        return entry
    }

    private func state(of entry: DesktopEntry) -> AdapterStatus.State {
        if let contents = entry.ownContents {
            switch store.answer(to: entry.identifier, entry: contents) {
            case nil: return .pending
            case false?: return .refused
            case true?: break
            }
        }
        return switches.isOn(entry.identifier) ? .on : .off
    }
}
