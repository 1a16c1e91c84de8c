// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// An installed app, as its desktop entry describes it.
///
/// Source: Desktop Entry Specification 1.5; the keys that begin with `X-Baton-` are Baton's
/// (Documentation/DesktopEntries.md).
public struct DesktopEntry: Hashable, Sendable {
    /// The app's id: the file's name without `.desktop`, such as `org.example.Letters`.
    public let identifier: String
    /// The app's name in the user's language.
    public let name: String
    /// The icon's name in the theme, or its path; nil when there is none.
    public let icon: String?
    /// The command line, its escapes undone and its quotes as they are; nil when there is none.
    public let exec: String?
    /// The directory to run it in.
    public let workingDirectory: String?
    /// Whether the app is started by a call to its bus name.
    public let isDBusActivatable: Bool
    /// Whether the app runs in a terminal.
    public let needsTerminal: Bool
    /// The activity types that it continues; `X-Baton-ActivityTypes`, a list.
    public private(set) var activityTypes: [String]
    /// Whose activities it continues, and who continues its; `X-Baton-Team`.
    public private(set) var team: String?
    /// The activity types of its documents, by MIME type; `X-Baton-DocumentActivityTypes`, a list
    /// of `MIME=TYPE`.
    public private(set) var documentTypes: [String: String]
    /// The domains whose pages it wants to continue, as it writes them;
    /// `X-Baton-AssociatedDomains`, a list.
    public let associatedDomains: [String]
    /// The apps for which it speaks, since they do not know Baton: their ids, or `*` for all;
    /// `X-Baton-Adapter`, a list.
    public let adaptedApps: [String]
    /// The text of an adapter's entry that is in the user's own directory; nil for all else.
    public let ownText: String?
    /// The app in its sandbox; nil for one that no sandbox confines.
    public let sandboxedApp: SandboxedApp?

    /// The most types that an entry declares; those after it do not count.
    public static let maximumTypes = 256
    /// The most claims of domains that are looked at; how many count says `AssociatedDomains`.
    public static let maximumDomains = 64
    /// The longest claim of a domain, in UTF-8 bytes.
    public static let maximumDomainLength = 300

    /// All types that it continues; those of documents need not be declared twice.
    public var continuableTypes: [String] {
        activityTypes + Set(documentTypes.values).subtracting(activityTypes).sorted()
    }

    /// What it says are its activities.
    public var claim: ActivityClaim { ActivityClaim(team: team ?? "", types: Set(continuableTypes)) }

    /// Whether it speaks for other apps. What is in a sandbox does not.
    public var isAdapter: Bool { !adaptedApps.isEmpty && sandboxedApp == nil }

    /// Whether it speaks for an app.
    public func adapts(_ application: String) -> Bool {
        isAdapter && (adaptedApps.contains(application) || adaptedApps.contains("*"))
    }

    /// The entry with what is in a claim only.
    public func claiming(_ claim: ActivityClaim) -> DesktopEntry {
        var entry = self
        entry.team = claim.team.isEmpty ? nil : claim.team
        entry.activityTypes = activityTypes.filter(claim.types.contains)
        entry.documentTypes = documentTypes.filter { claim.types.contains($0.value) }
        return entry
    }

    /// Reads a desktop entry.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - text: The file's text. Elements of lists that are empty, too long, not to be seen, or no
    ///     pair where pairs are wanted do not count.
    ///   - languages: The user's, the most wanted first, as in `LANG`: `de_AT.UTF-8`.
    ///   - place: Where the file is.
    /// - Returns: Nil when the text has no group `[Desktop Entry]`, or says that it is deleted
    ///   (`Hidden`) or no application.
    public init?(identifier: String, text: String, languages: [String] = [], place: DesktopEntryPlace = .ordinary) {
        let file = KeyFile(text)
        func value(_ key: String) -> String? {
            file.raw(key, in: Self.group).map { KeyFile.unescape($0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        func list(_ key: String) -> [String] {
            Array(KeyFile.list(file.raw(key, in: Self.group) ?? "").prefix(Self.maximumTypes))
        }
        guard file.has(Self.group), value("Hidden") != "true", (value("Type") ?? "Application") == "Application" else {
            return nil
        }
        self.identifier = identifier
        let names = languages.flatMap(Self.localeKeys).map { "Name[\($0)]" } + ["Name"]
        name = names.lazy.compactMap(value).first ?? identifier
        icon = value("Icon")
        exec = value("Exec")
        workingDirectory = value("Path").flatMap { $0.hasPrefix("/") ? $0 : nil }
        isDBusActivatable = value("DBusActivatable") == "true"
        needsTerminal = value("Terminal") == "true"
        activityTypes = list("X-Baton-ActivityTypes").filter(Self.isName)
        team = value("X-Baton-Team").flatMap { Self.isName($0) ? $0 : nil }
        documentTypes = list("X-Baton-DocumentActivityTypes").reduce(into: [:]) { types, element in
            guard let equals = element.firstIndex(of: "=") else { return }
            let type = String(element[element.index(after: equals)...])
            if Self.isName(type) { types[String(element[..<equals])] = type }
        }
        associatedDomains = list("X-Baton-AssociatedDomains").filter(Self.isDomainClaim).prefix(Self.maximumDomains)
            .map { $0 }
        adaptedApps = list("X-Baton-Adapter").filter(Self.isName)
        ownText = place == .user && !adaptedApps.isEmpty ? text : nil
        sandboxedApp = SandboxedApp(
            entry: identifier, place: place, flatpak: file.raw("X-Flatpak", in: Self.group),
            isSnap: ["X-SnapInstanceName", "X-SnapAppName"].contains { file.raw($0, in: Self.group) != nil })
    }

    private static let group = "Desktop Entry"

    /// Whether a text can be a type or a team.
    public static func isName(_ name: String) -> Bool {
        (1...ActivityState.maximumIdentifierLength).contains(name.utf8.count) && VisibleText.isVisible(name)
    }

    private static func isDomainClaim(_ text: String) -> Bool {
        (1...maximumDomainLength).contains(text.utf8.count) && VisibleText.isVisible(text)
    }

    /// The keys that fit a locale `lang_COUNTRY.ENCODING@MODIFIER`, the best first.
    private static func localeKeys(_ locale: String) -> [String] {
        let (base, modifier) = split(locale, at: "@")
        let (place, _) = split(base, at: ".")
        let (language, country) = split(place, at: "_")
        var keys: [String] = []
        if let country, let modifier { keys.append("\(language)_\(country)@\(modifier)") }
        if let country { keys.append("\(language)_\(country)") }
        if let modifier { keys.append("\(language)@\(modifier)") }
        return keys + [language]
    }

    private static func split(_ text: String, at separator: Character) -> (String, String?) {
        guard let index = text.firstIndex(of: separator) else { return (text, nil) }
        return (String(text[..<index]), String(text[text.index(after: index)...]))
    }
}
