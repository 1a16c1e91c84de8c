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
    /// The icon's name in the theme, without the ending of a file, or its path; nil when there is
    /// none.
    public let icon: String?
    /// The command line, its escapes undone and its quotes as they are; nil when there is none.
    public let exec: String?
    /// The program without which the app does not count as installed; nil when none is named.
    public let tryExec: String?
    /// The directory to run it in.
    public let workingDirectory: String?
    /// The entry's file; nil for one that was not read from a file.
    public let file: String?
    /// Whether the app is started by a call to its id, which is a bus name.
    public let isDBusActivatable: Bool
    /// Whether the app runs in a terminal.
    public let needsTerminal: Bool
    /// Whether the entry says that its app is deleted, and hides those of other directories.
    let isDeleted: Bool
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
    /// The contents of an adapter's entry that is not the system's; nil for all else.
    public let ownContents: [UInt8]?
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

    /// Reads a desktop entry's text.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - text: The file's text. Elements of lists that are empty, too long, not to be seen, or no
    ///     pair where pairs are wanted do not count.
    ///   - languages: The user's, the most wanted first, as in `LANG`: `de_AT.UTF-8`.
    ///   - place: Where the file is.
    /// - Returns: Nil when GIO takes it for no app: it has a line that is no key file's, does not
    ///   begin with the group `[Desktop Entry]`, or is not of the type `Application`. Nil also when
    ///   the entry says that it is deleted (`Hidden`).
    public init?(identifier: String, text: String, languages: [String] = [], place: DesktopEntryPlace = .ordinary) {
        self.init(identifier: identifier, contents: Array(text.utf8), languages: languages, place: place)
        if isDeleted { return nil }
    }

    /// Reads the contents of a desktop entry, which may be deleted.
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
        ownContents = place == .user && !adaptedApps.isEmpty ? contents : nil
        sandboxedApp = SandboxedApp(
            entry: identifier, place: place, flatpak: keys.valuesAnywhere("X-Flatpak"),
            isSnap: ["X-SnapInstanceName", "X-SnapAppName"].contains { !keys.valuesAnywhere($0).isEmpty })
    }

    private static let group = "Desktop Entry"

    /// Whether a text can be a type or a team.
    public static func isName(_ name: String) -> Bool {
        (1...ActivityState.maximumIdentifierLength).contains(name.utf8.count) && VisibleText.isVisible(name)
    }

    private static func isDomainClaim(_ text: String) -> Bool {
        (1...maximumDomainLength).contains(text.utf8.count) && VisibleText.isVisible(text)
    }

    /// An icon's name as GIO has it: many entries name a file where the name of an icon is wanted.
    private static func iconName(_ icon: String) -> String {
        let ending = [".png", ".xpm", ".svg"].first { icon.hasSuffix($0) }
        return icon.hasPrefix("/") ? icon : String(icon.dropLast(ending?.count ?? 0))
    }

    /// Whether D-Bus allows a name as one that a program asks for.
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
