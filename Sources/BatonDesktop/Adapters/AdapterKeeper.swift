// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis

/// Which of the installed adapters count: those of the system's packages, and those of the user's
/// own that the user has allowed, unless they are switched off.
struct AdapterKeeper: Sendable {
    private let store: AdapterStore
    /// By id.
    private var installed: [DesktopEntry] = []
    private var switches = AdapterSwitches()

    init(store: AdapterStore) { self.store = store }

    /// These apps are installed now, and these adapters switched off.
    ///
    /// - Returns: The apps without the adapters that do not count.
    mutating func admit(_ index: DesktopEntryIndex, _ switches: AdapterSwitches) -> DesktopEntryIndex {
        (installed, self.switches) = (index.adapters, switches)
        let active = Set(active)
        return DesktopEntryIndex(
            index.entries.values.filter { !$0.isAdapter || active.contains($0.identifier) },
            mimeDefaults: index.mimeDefaults)
    }

    /// The ids of those that count.
    var active: [String] { installed.filter { state(of: $0) == .on }.map(\.identifier) }

    /// The switches that switch nothing, a line each.
    var idleSwitches: [String] {
        switches.off.subtracting(installed.map(\.identifier)).sorted().map {
            "baton.conf: \(AdapterSwitches.key(of: $0)) = off switches nothing: no installed adapter has this id; 'baton adapters' lists them"
        }
    }

    /// Tells of adapters that wait for the user's word; nil where none does.
    var finding: Finding? {
        guard installed.contains(where: { state(of: $0) == .pending }) else { return nil }
        return Finding(
            .adaptersPending,
            "an adapter in your own directory speaks for other apps once you allow it: see 'baton adapters'",
            command: "baton adapters")
    }

    /// All of them.
    var summaries: [AdapterStatus] {
        installed.map {
            AdapterStatus(
                adapter: $0.identifier, name: $0.name, state: state(of: $0), isOfUser: $0.ownContents != nil,
                applications: $0.adaptedApps, types: $0.continuableTypes)
        }
    }

    /// The user has said whether an adapter counts.
    ///
    /// - Throws: ``BatonError``.
    func answer(_ isAllowed: Bool, to adapter: String) throws {
        guard let contents = try entry(adapter).ownContents else {
            throw BatonError(
                .invalidArgument,
                "adapter: \(adapter) is a package's, and needs no leave; 'baton adapters off \(adapter)' switches it off"
            )
        }
        try store.answer(isAllowed, to: adapter, entry: contents, among: installed.map(\.identifier))
    }

    /// An installed adapter.
    ///
    /// - Throws: ``BatonError`` with `notFound`.
    func entry(_ adapter: String) throws -> DesktopEntry {
        guard let entry = installed.first(where: { $0.identifier == adapter }) else {
            throw BatonError(.notFound, "there is no adapter \(adapter); 'baton adapters' lists those there are")
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
