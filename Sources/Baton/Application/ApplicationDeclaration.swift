// SPDX-License-Identifier: Apache-2.0

internal import DesktopEntries
public import Foundation
internal import UserActivity

/// The activities that an app continues, from its desktop entry or from the program itself.
public struct ApplicationDeclaration: Hashable, Sendable {
    /// The activity types that the app continues.
    ///
    /// In the desktop entry, the types are the list `X-Baton-ActivityTypes`.
    public var activityTypes: [String]
    /// The team of apps that continue each other's activities: `X-Baton-Team` in the desktop entry.
    public var team: String?
    /// The activity type for each MIME type of the app's documents.
    ///
    /// In the desktop entry, this table is `X-Baton-DocumentActivityTypes`, a list of `MIME=TYPE`.
    /// Several kinds of documents may share an activity type.
    public var documentTypes: [String: String]
    /// The domains whose web pages the app continues, if they approve the app.
    ///
    /// Each domain has the form `activitycontinuation:example.com`. In the desktop entry, the
    /// domains are the list `X-Baton-AssociatedDomains`. Only the domains in the installed desktop
    /// entry have an effect (Documentation/AssociatedDomains.md).
    public var associatedDomains: [String]

    /// Creates a declaration for a program without a desktop entry.
    public init(
        activityTypes: [String] = [], team: String? = nil, documentTypes: [String: String] = [:],
        associatedDomains: [String] = []
    ) {
        self.associatedDomains = associatedDomains
        self.activityTypes = activityTypes
        self.team = team
        self.documentTypes = documentTypes
    }

    /// All activity types that the app continues, including the types of its documents.
    public var continuableTypes: [String] {
        activityTypes + Set(documentTypes.values).subtracting(activityTypes).sorted()
    }

    /// Returns whether the app continues activities of a type.
    ///
    /// An app with domains continues web pages without declaring their type.
    func continues(_ type: String) -> Bool {
        continuableTypes.contains(type) || type == NSUserActivityTypeBrowsingWeb && !associatedDomains.isEmpty
    }

    /// Reads the text of a desktop entry.
    ///
    /// - Parameter desktopEntry: The text of the file. If it has no group `[Desktop Entry]`, or is
    ///   deleted (`Hidden`), the app declares nothing.
    public init(desktopEntry: String) { self.init(DesktopEntry(identifier: "", text: desktopEntry)) }

    /// Reads the desktop entry of an installed app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id: the name of its desktop entry without `.desktop`, such as
    ///     `org.example.Letters`.
    ///   - directories: The directories to search in order. The first entry with this name is used.
    /// - Returns: The declaration. Nil if there is no such entry, the id is invalid, or the entry
    ///   cannot be read or is larger than 1 MiB.
    public init?(
        applicationIdentifier identifier: String, in directories: [URL] = ApplicationDeclaration.desktopEntryDirectories
    ) {
        guard let entry = DesktopEntryIndex.entry(identifier, in: directories) else { return nil }
        self.init(entry)
    }

    /// The directories of desktop entries, in order of precedence.
    ///
    /// These are `applications` in `$XDG_DATA_HOME` and in each of `$XDG_DATA_DIRS`.
    public static var desktopEntryDirectories: [URL] { DesktopEntryIndex.directories }

    private init(_ entry: DesktopEntry?) {
        self.init(
            activityTypes: entry?.activityTypes ?? [], team: entry?.team, documentTypes: entry?.documentTypes ?? [:],
            associatedDomains: entry?.associatedDomains ?? [])
    }
}
