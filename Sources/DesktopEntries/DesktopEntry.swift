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
    /// The icon's path, or its name in the theme without a file extension; nil if the entry has no
    /// icon.
    public let icon: String?
    /// The command line, unescaped but with its quotes, or nil if there is none.
    public let exec: String?
    /// The program that exists only if the app is installed, or nil if the entry names none.
    public let tryExec: String?
    /// The working directory of the app, or nil if the entry names none.
    public let workingDirectory: String?
    /// The path of the entry's file, or nil if the entry was not read from a file.
    public let file: String?
    /// Whether D-Bus starts the app by its id, which is a bus name.
    public let isDBusActivatable: Bool
    /// Whether the app runs in a terminal.
    public let needsTerminal: Bool
    /// Whether the app is deleted. The entry then hides entries with the same id in later
    /// directories.
    let isDeleted: Bool
    /// The activity types that the app continues: the list `X-Baton-ActivityTypes`.
    public private(set) var activityTypes: [String]
    /// The team of apps that continue each other's activities: `X-Baton-Team`; nil if the entry
    /// names none.
    public private(set) var team: String?
    /// The activity type for each MIME type of the app's documents.
    ///
    /// In the file it is the list `X-Baton-DocumentActivityTypes` of `MIME=TYPE`.
    public private(set) var documentTypes: [String: String]
    /// The domains whose pages the app claims, unparsed: the list `X-Baton-AssociatedDomains`.
    public let associatedDomains: [String]
    /// The ids of the apps for which this entry is an adapter, or `*` for all.
    ///
    /// In the file it is the list `X-Baton-Adapter`.
    ///
    /// These apps do not know Baton.
    public let adaptedApps: [String]
    /// The facts that the entry gives about these apps, by id.
    ///
    /// In the file each app has a group: `[X-Baton-App ID]`.
    public let adaptedFacts: [String: AdaptedAppFacts]
    /// The contents of the file if this is an adapter's entry that the user installed; nil for all
    /// other entries.
    public let ownContents: [UInt8]?
    /// The identity of a sandboxed app, or nil if no sandbox confines the app.
    public let sandboxedApp: SandboxedApp?

    /// The maximum number of types in an entry. Further types are ignored.
    public static let maximumTypes = 256
    /// The maximum number of domain claims to read. The module `AssociatedDomains` uses only the
    /// first claims.
    public static let maximumDomains = 64
    /// The maximum length of a domain claim, in UTF-8 bytes.
    public static let maximumDomainLength = 300

    /// All activity types that the app continues, including the types of its documents.
    public var continuableTypes: [String] {
        activityTypes + Set(documentTypes.values).subtracting(activityTypes).sorted()
    }

    /// The activities that the app claims.
    public var claim: ActivityClaim { ActivityClaim(team: team ?? "", types: Set(continuableTypes)) }

    /// Whether the entry is an adapter for other apps. A sandboxed app cannot be an adapter.
    public var isAdapter: Bool { !adaptedApps.isEmpty && sandboxedApp == nil }

    /// Returns whether the entry is an adapter for an app.
    public func adapts(_ application: String) -> Bool {
        isAdapter && (adaptedApps.contains(application) || adaptedApps.contains("*"))
    }

    /// Returns the entry with only those activities that are in a claim.
    public func claiming(_ claim: ActivityClaim) -> DesktopEntry {
        var entry = self
        entry.team = claim.team.isEmpty ? nil : claim.team
        entry.activityTypes = activityTypes.filter(claim.types.contains)
        entry.documentTypes = documentTypes.filter { claim.types.contains($0.value) }
        return entry
    }

    /// Reads a desktop entry's text.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - text: The file's text. List elements are ignored if they are empty, too long, not
    ///     visible, or not a pair where one is required.
    ///   - languages: The user's languages in order of preference, as in `LANG`: `de_AT.UTF-8`.
    ///   - place: The place of the file.
    /// - Returns: Nil if GIO does not accept the entry. GIO refuses an entry with an invalid line,
    ///   without the group `[Desktop Entry]` at its beginning, or of another type than
    ///   `Application`. Also nil if the entry says that the app is deleted (`Hidden`).
    public init?(identifier: String, text: String, languages: [String] = [], place: DesktopEntryPlace = .ordinary) {
        self.init(identifier: identifier, contents: Array(text.utf8), languages: languages, place: place)
        if isDeleted { return nil }
    }

    /// Reads the contents of a desktop entry, even if the app is deleted.
    ///
    /// - Parameter file: The file's path, for `%k` in the command line.
    init?(
        identifier: String, contents: [UInt8], languages: [String], place: DesktopEntryPlace, file: String? = nil
    ) {
        guard let keys = KeyFile(contents), keys.startGroup == Self.group else { return nil }
        func text(_ key: String) -> String? { keys.string(key, in: Self.group).flatMap { $0.isEmpty ? nil : $0 } }
        func translated(_ key: String) -> String? {
            keys.string(key, in: Self.group, languages: languages).flatMap { $0.isEmpty ? nil : $0 }
        }
        func list(_ key: String) -> [String] { Array(keys.elements(key, in: Self.group).prefix(Self.maximumTypes)) }
        guard text("Type") == "Application" else { return nil }
        self.identifier = identifier
        self.file = file
        name = translated("Name") ?? identifier
        icon = translated("Icon").map(Self.iconName)
        exec = text("Exec")
        tryExec = text("TryExec")
        workingDirectory = text("Path").flatMap { $0.hasPrefix("/") ? $0 : nil }
        isDBusActivatable = keys.isTrue("DBusActivatable", in: Self.group) && Self.isBusName(identifier)
        needsTerminal = keys.isTrue("Terminal", in: Self.group)
        isDeleted = keys.isTrue("Hidden", in: Self.group)
        activityTypes = list("X-Baton-ActivityTypes").filter(Self.isName)
        team = text("X-Baton-Team").flatMap { Self.isName($0) ? $0 : nil }
        documentTypes = list("X-Baton-DocumentActivityTypes").reduce(into: [:]) { types, element in
            let pair = element.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return }
            let type = String(pair[1])
            if Self.isName(type) { types[String(pair[0])] = type }
        }
        associatedDomains = list("X-Baton-AssociatedDomains").filter(Self.isDomainClaim).prefix(Self.maximumDomains)
            .map { $0 }
        adaptedApps = list("X-Baton-Adapter").filter(Self.isName)
        adaptedFacts = Dictionary(
            adaptedApps.compactMap { app in AdaptedAppFacts(reading: app, in: keys).map { (app, $0) } },
            uniquingKeysWith: { first, _ in first })
        ownContents = place == .user && !adaptedApps.isEmpty ? contents : nil
        sandboxedApp = SandboxedApp(
            entry: identifier, place: place, flatpak: keys.valuesAnywhere("X-Flatpak"),
            isSnap: ["X-SnapInstanceName", "X-SnapAppName"].contains { !keys.valuesAnywhere($0).isEmpty })
    }

    private static let group = "Desktop Entry"

    /// Returns whether a text can be an activity type or a team.
    public static func isName(_ name: String) -> Bool {
        (1...ActivityState.maximumIdentifierLength).contains(name.utf8.count) && VisibleText.isVisible(name)
    }

    private static func isDomainClaim(_ text: String) -> Bool {
        (1...maximumDomainLength).contains(text.utf8.count) && VisibleText.isVisible(text)
    }

    /// Removes the file extension from an icon's name, as GIO does.
    ///
    /// Many entries give the name of a file.
    private static func iconName(_ icon: String) -> String {
        let ending = [".png", ".xpm", ".svg"].first { icon.hasSuffix($0) }
        return icon.hasPrefix("/") ? icon : String(icon.dropLast(ending?.count ?? 0))
    }

    /// Returns whether D-Bus allows a program to own a bus name.
    ///
    /// Source: D-Bus Specification, "Bus names".
    private static func isBusName(_ name: String) -> Bool {
        let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return name.utf8.count <= 255 && elements.count >= 2
            && elements.allSatisfy { element in
                element.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
                    && element.allSatisfy(SandboxedApp.isIdentifierByte)
            }
    }
}
