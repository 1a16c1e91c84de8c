// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import Diagnosis

/// The installed apps, with what the user and the domains permit them.
struct UsableApps: Sendable {
    /// The claims of all apps, and the user's answers about sandboxed ones.
    var grants: GrantKeeper
    /// The adapters, and the user's answers about them.
    var adapters: AdapterKeeper
    /// The claims on domains, and the domains' answers.
    var domains: DomainKeeper
    /// The apps without inactive adapters. Sandboxed apps appear with their granted claims only.
    private(set) var index = DesktopEntryIndex()

    /// Applies the installed apps, the user's answers and the switches of adapters.
    mutating func update(_ switches: AdapterSwitches) {
        index = adapters.admit(grants.entitled, switches)
        domains.install(index)
    }

    /// The activity types that the apps continue, by team.
    var kinds: [String: Set<String>] {
        var kinds: [String: Set<String>] = [:]
        for app in index.entries.values where !app.continuableTypes.isEmpty {
            kinds[app.team ?? "", default: []].formUnion(app.continuableTypes)
        }
        // The type of an offer is known before its address, so declare the browsing type for all
        // pages.
        if domains.isInUse { kinds["", default: []].insert(ActivityState.browsingWeb) }
        return kinds
    }

    /// Returns the app that saved a search result.
    ///
    /// - Throws: ``BatonError`` if the app is gone or may not have the activity.
    func app(of result: SearchResult) throws -> DesktopEntry {
        guard let app = index.entries[result.application] else {
            throw BatonError(.applicationFailed, .appGone, ["app": .text(result.application)])
        }
        guard grants.permits(result.activity.state.activityType, team: app.team ?? "", to: app) else {
            throw BatonError(.notAllowed, .appSandboxed, ["app": .text(app.identifier)])
        }
        return app
    }

    /// Decides which app gets an offer, or returns nil for the browser.
    ///
    /// The team is set if the domain of the fetched page has approved the app, because the domain
    /// knows the app by that team.
    ///
    /// - Parameters:
    ///   - page: The fetched page, or nil if the offer cannot be a page for an app.
    ///   - wanted: The id of the app that the user wants, or nil for the best one.
    ///   - choice: The user's default apps.
    /// - Throws: ``BatonError`` when there is no such app.
    func recipient(
        of offer: OfferSummary, fetched page: ContinuedActivity?, wanted: String?, _ choice: AppChoice
    ) throws -> (app: DesktopEntry, team: String?)? {
        if let url = page?.activity.webpageURL, let (identifier, team) = domains.application(for: url),
            let app = index.entries[identifier], wanted ?? identifier == identifier
        {
            return (app, team)
        }
        return try choice.application(wanted, for: offer, in: index, grants).map { ($0, nil) }
    }
}
