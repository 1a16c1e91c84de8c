// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import DesktopEntries

/// Which app continues an activity.
public struct AppChoice: Sendable {
    /// The user's own choices: an app's id for an activity type.
    public var defaults: [String: String]

    /// A choice with the user's defaults.
    public init(defaults: [String: String] = [:]) { self.defaults = defaults }

    /// The apps that can continue an activity, the best first: the user's own choice, then the
    /// desktop's default, then the one whose id has most in common with the type, then the one
    /// whose name is in the title, then by id.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - team: Its team; empty for none. Only apps of the same team count.
    ///   - title: Its title, once known.
    ///   - index: The apps that are installed.
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

    /// Whether the default browser is to open an activity's page, though apps continue its type: it
    /// is none of them, and the user has not chosen one.
    ///
    /// - Parameters:
    ///   - type: The activity's type.
    ///   - best: The best of the apps that continue it.
    ///   - index: The apps that are installed.
    public func isForBrowser(type: String, best: DesktopEntry, in index: DesktopEntryIndex) -> Bool {
        guard type == ActivityState.browsingWeb, best.identifier != defaults[type] else { return false }
        let browser = index.mimeDefaults.application(for: Self.web)
        return browser != nil && browser != best.identifier
    }

    private static let web = "x-scheme-handler/https"

    /// Whether the desktop opens what the activities of a type are about with this app: pages, or
    /// the app's documents.
    private static func isDesktopDefault(
        _ entry: DesktopEntry, for type: String, in index: DesktopEntryIndex
    ) -> Bool {
        let documents = entry.documentTypes.filter { $0.value == type }.keys
        let opened = type == ActivityState.browsingWeb ? documents + [web] : Array(documents)
        return opened.contains { index.mimeDefaults.application(for: $0) == entry.identifier }
    }

    /// The user's choices that choose nothing, one line each, by type.
    ///
    /// - Parameter index: The apps that are installed.
    public func idleDefaults(in index: DesktopEntryIndex) -> [String] {
        defaults.sorted { $0.key < $1.key }.compactMap { type, identifier in
            let reason: String
            switch index.entries[identifier] {
            case nil: reason = "no installed app has this id"
            case let entry? where !entry.continuableTypes.contains(type):
                reason = "that app does not continue this type"
            default: return nil
            }
            return "baton.conf: default-app.\(type) = \(identifier) chooses nothing: \(reason)"
        }
    }

    /// How many parts of two reverse-DNS names are the same, from the left.
    private static func commonParts(_ one: String, _ other: String) -> Int {
        zip(one.lowercased().split(separator: "."), other.lowercased().split(separator: ".")).prefix { $0 == $1 }.count
    }

    private static func names(_ name: String, in title: String) -> Bool {
        !name.isEmpty && title.lowercased().contains(name.lowercased())
    }
}
