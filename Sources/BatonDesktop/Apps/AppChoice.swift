// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
public import DesktopEntries
public import Diagnosis

/// Chooses the app that continues an activity.
public struct AppChoice: Sendable {
    /// The user's own choices: an app's id for an activity type.
    public var defaults: [String: String]

    /// Creates a choice with the user's default apps.
    public init(defaults: [String: String] = [:]) { self.defaults = defaults }

    /// Returns the apps that can continue an activity, the best first.
    ///
    /// The order is: the user's own choice, the desktop's default, the app whose id has most in
    /// common with the type, the app whose name is in the title. Ties are broken by id.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - team: The activity's team, or an empty text for none. Only apps of this team are
    ///     returned.
    ///   - title: The activity's title, or nil if it is not known yet.
    ///   - index: The installed apps.
    public func candidates(
        type: String, team: String, title: String?, in index: DesktopEntryIndex
    ) -> [DesktopEntry] {
        func rank(_ entry: DesktopEntry) -> [Int] {
            [
                entry.identifier == defaults[type] ? 0 : 1,
                Self.isDesktopDefault(entry, for: type, in: index) ? 0 : 1,
                -Self.commonParts(entry.identifier, type),
                title.map { Self.names(entry.name, in: $0) } == true ? 0 : 1,
            ]
        }
        return index.entries.values
            .filter { ($0.team ?? "") == team && $0.continuableTypes.contains(type) }
            .map { (rank($0), $0) }
            .sorted { $0.0 == $1.0 ? $0.1.identifier < $1.1.identifier : $0.0.lexicographicallyPrecedes($1.0) }
            .map(\.1)
    }

    /// Returns whether the default browser opens an activity's page although an app continues its
    /// type.
    ///
    /// The browser opens the page if the browser is not the best app itself, and the user has not
    /// chosen the best app for the type.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - best: The best app that continues the type.
    ///   - index: The installed apps.
    public func isForBrowser(type: String, best: DesktopEntry, in index: DesktopEntryIndex) -> Bool {
        guard type == ActivityState.browsingWeb, best.identifier != defaults[type] else { return false }
        let browser = Self.browser(in: index)
        return browser != nil && browser != best.identifier
    }

    /// Returns the app that continues an offer by default, or nil if the browser or no app does.
    func application(for offer: OfferSummary, in index: DesktopEntryIndex) -> DesktopEntry? {
        guard let type = offer.type, let best = candidates(for: offer, in: index).first else { return nil }
        return offer.hasWebpage && isForBrowser(type: type, best: best, in: index) ? nil : best
    }

    /// Returns the app to which an offer is handed: the wanted app, or the best one if the caller
    /// names none. Returns nil for the browser.
    ///
    /// - Throws: ``BatonError`` if there is no such app.
    func application(
        _ wanted: String?, for offer: OfferSummary, in index: DesktopEntryIndex, _ grants: GrantKeeper
    ) throws -> DesktopEntry? {
        let candidates = candidates(for: offer, in: index)
        if let wanted {
            if let app = candidates.first(where: { $0.identifier == wanted }) { return app }
            if let app = grants.missing(offer.type ?? "", team: offer.team ?? "", wanted) {
                throw BatonError(.notAllowed, .appSandboxed, ["app": .text(app.description)])
            }
            throw BatonError(.applicationFailed, .appUnfit, ["app": .text(wanted)])
        }
        if candidates.isEmpty, !offer.hasWebpage {
            if let app = Self.appOfAnotherTeam(offer, in: index) {
                throw BatonError(.applicationFailed, .noAppOfTeam, ["app": .text(app.identifier)])
            }
            throw BatonError(.applicationFailed, .noApp, ["type": .text(offer.type ?? "?")])
        }
        return application(for: offer, in: index)
    }

    private func candidates(for offer: OfferSummary, in index: DesktopEntryIndex) -> [DesktopEntry] {
        guard let type = offer.type, let team = offer.team else { return [] }
        return candidates(type: type, team: team, title: offer.title, in: index)
    }

    /// Returns an app that continues the type for another team, or nil.
    private static func appOfAnotherTeam(_ offer: OfferSummary, in index: DesktopEntryIndex) -> DesktopEntry? {
        guard let type = offer.type else { return nil }
        let others = index.entries.values.filter { $0.continuableTypes.contains(type) }
        return others.min { $0.identifier < $1.identifier }
    }

    private static let web = "x-scheme-handler/https"

    /// Returns the id of the default browser, or nil if there is none.
    static func browser(in index: DesktopEntryIndex) -> String? { index.mimeDefaults.application(for: web) }

    /// Returns whether an app is the desktop's default for a type's content: web pages or
    /// documents.
    private static func isDesktopDefault(
        _ entry: DesktopEntry, for type: String, in index: DesktopEntryIndex
    ) -> Bool {
        let documents = entry.documentTypes.filter { $0.value == type }.keys
        let opened = type == ActivityState.browsingWeb ? documents + [web] : Array(documents)
        return opened.contains { index.mimeDefaults.application(for: $0) == entry.identifier }
    }

    /// Returns a finding for each default app that has no effect, sorted by type.
    ///
    /// - Parameter index: The installed apps.
    public func idleDefaults(in index: DesktopEntryIndex) -> [Finding] {
        defaults.sorted { $0.key < $1.key }.compactMap { type, identifier in
            let place: String
            switch index.entries[identifier] {
            case nil: place = "missingApp"
            case let entry? where !entry.continuableTypes.contains(type): place = "unfitApp"
            default: return nil
            }
            return Finding(.settingsMistake, [place: .text(identifier), "type": .text(type)])
        }
    }

    /// Returns how many leading parts two reverse-DNS names have in common.
    private static func commonParts(_ one: String, _ other: String) -> Int {
        zip(one.lowercased().split(separator: "."), other.lowercased().split(separator: ".")).prefix { $0 == $1 }.count
    }

    private static func names(_ name: String, in title: String) -> Bool {
        !name.isEmpty && title.lowercased().contains(name.lowercased())
    }
}
