// SPDX-License-Identifier: Apache-2.0

internal import DesktopEntries
public import Foundation
internal import UserActivity

/// What an app continues: from its desktop entry, or said by a program that has none.
public struct ApplicationDeclaration: Hashable, Sendable {
    /// The activity types that it continues; `X-Baton-ActivityTypes` in the desktop entry, a list.
    public var activityTypes: [String]
    /// Whose activities it continues, and who continues its; `X-Baton-Team`.
    public var team: String?
    /// The activity types of its documents, by MIME type; `X-Baton-DocumentActivityTypes`, a list
    /// of `MIME=TYPE`. Several kinds of documents may have one activity type.
    public var documentTypes: [String: String]
    /// The domains whose pages it continues where they agree, as
    /// `activitycontinuation:example.com`; `X-Baton-AssociatedDomains`, a list. Only those in the
    /// desktop entry count (Documentation/AssociatedDomains.md).
    public var associatedDomains: [String]

    /// What a program says of itself.
    public init(
        activityTypes: [String] = [], team: String? = nil, documentTypes: [String: String] = [:],
        associatedDomains: [String] = []
    ) {
        self.associatedDomains = associatedDomains
        self.activityTypes = activityTypes
        self.team = team
        self.documentTypes = documentTypes
    }

    /// All types that it continues; those of documents need not be declared twice.
    public var continuableTypes: [String] {
        activityTypes + Set(documentTypes.values).subtracting(activityTypes).sorted()
    }

    /// Whether it continues activities of a type; pages need not be declared by an app that has
    /// domains.
    func continues(_ type: String) -> Bool {
        continuableTypes.contains(type) || type == NSUserActivityTypeBrowsingWeb && !associatedDomains.isEmpty
    }

    /// Reads a desktop entry.
    ///
    /// - Parameter desktopEntry: The text of the file. Without a group `[Desktop Entry]`, or with a
    ///   deleted one (`Hidden`), it declares nothing.
    public init(desktopEntry: String) { self.init(DesktopEntry(identifier: "", text: desktopEntry)) }

    /// Reads the desktop entry of an installed app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id, the entry's name without `.desktop`, such as
    ///     `org.example.Letters`.
    ///   - directories: Where to look; the first entry of this name counts.
    /// - Returns: What it declares; nil when there is no such entry, the id is none, or the entry
    ///   cannot be read or is larger than 1 MiB.
    public init?(
        applicationIdentifier identifier: String, in directories: [URL] = ApplicationDeclaration.desktopEntryDirectories
    ) {
        guard let entry = DesktopEntryIndex.entry(identifier, in: directories) else { return nil }
        self.init(entry)
    }

    /// Where desktop entries are, the first that counts first: `applications` in `$XDG_DATA_HOME`
    /// and in each of `$XDG_DATA_DIRS`.
    public static var desktopEntryDirectories: [URL] { DesktopEntryIndex.directories }

    private init(_ entry: DesktopEntry?) {
        self.init(
            activityTypes: entry?.activityTypes ?? [], team: entry?.team, documentTypes: entry?.documentTypes ?? [:],
            associatedDomains: entry?.associatedDomains ?? [])
    }
}
