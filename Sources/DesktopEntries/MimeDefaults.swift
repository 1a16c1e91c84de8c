// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// Which apps the desktop opens what with: for each MIME type and each scheme of addresses
/// (`x-scheme-handler/https`) the default, and those that come after it.
///
/// Source: Association between MIME types and applications 1.0.1 (mime-apps-spec). A default counts
/// whether or not the app says that it opens the type, as for GIO.
public struct MimeDefaults: Hashable, Sendable {
    /// Ids of apps by type, the default first.
    private let order: [String: [String]]

    /// The most types that count of a file; those with the first names do.
    public static let maximumTypes = 16_384
    /// The most apps that count for a type.
    public static let maximumApps = 64
    /// The largest file that is read, in bytes.
    public static let largestFile = 1 << 20

    /// What is known already; nothing unless said.
    ///
    /// - Parameter order: Ids of apps by type, the default first.
    public init(_ order: [String: [String]] = [:]) { self.order = order }

    /// Reads what the desktop's files say.
    ///
    /// - Parameters:
    ///   - places: Where `mimeapps.list` is, beside the directories of desktop entries.
    ///   - applications: The directories of desktop entries, the first that counts first.
    ///   - directoryOfApp: Where in these the entry of an app is that is installed; nil for an app
    ///     that is not.
    init(places: MimePlaces, applications: [URL], directoryOfApp: @escaping (String) -> Int?) {
        var reader = Reader(isInstalled: { directoryOfApp($0) != nil })
        for (number, directory) in (places.configuration + applications).enumerated() {
            for desktop in places.desktops { reader.readDefaults(Self.file("\(desktop)-mimeapps.list", in: directory)) }
            let list = Self.file("mimeapps.list", in: directory)
            reader.readDefaults(list)
            reader.readAssociations(list)
            let application = number - places.configuration.count
            guard application >= 0 else { continue }
            // An entry of this directory that one before it replaces says nothing.
            reader.readCache(Self.file("mimeinfo.cache", in: directory)) { directoryOfApp($0) == application }
        }
        order = reader.order
    }

    /// The ids of the installed apps that open a type, the default first.
    public func applications(for type: String) -> [String] { order[type] ?? [] }

    /// The id of the app that opens a type unless the user chooses another.
    public func application(for type: String) -> String? { order[type]?.first }

    private static func file(_ name: String, in directory: URL) -> KeyFile? {
        let path = directory.appending(component: name).path
        guard let bytes = try? FileContents.read(path, limit: largestFile) else { return nil }
        return String(bytes: bytes, encoding: .utf8).map(KeyFile.init)
    }

    /// What was read so far: of files, those that count first are read first.
    private struct Reader {
        let isInstalled: (String) -> Bool
        private var defaults: [String: String] = [:]
        private var associations: [String: [String]] = [:]
        private var removed: [String: Set<String>] = [:]

        init(isInstalled: @escaping (String) -> Bool) { self.isInstalled = isInstalled }

        var order: [String: [String]] {
            var order = associations
            for (type, app) in defaults { order[type] = [app] + (order[type] ?? []).filter { $0 != app } }
            return order
        }

        mutating func readDefaults(_ file: KeyFile?) {
            for (type, apps) in Self.lists("Default Applications", of: file) where defaults[type] == nil {
                defaults[type] = apps.first(where: isInstalled)
            }
        }

        mutating func readAssociations(_ file: KeyFile?) {
            for (type, apps) in Self.lists("Added Associations", of: file) { associate(apps, with: type) }
            for (type, apps) in Self.lists("Removed Associations", of: file) {
                removed[type, default: []].formUnion(apps)
            }
        }

        mutating func readCache(_ file: KeyFile?, _ isFromHere: (String) -> Bool) {
            for (type, apps) in Self.lists("MIME Cache", of: file) { associate(apps.filter(isFromHere), with: type) }
        }

        private mutating func associate(_ apps: [String], with type: String) {
            for app in apps where isInstalled(app) && removed[type]?.contains(app) != true {
                let known = associations[type] ?? []
                guard known.count < maximumApps, !known.contains(app) else { continue }
                associations[type] = known + [app]
            }
        }

        private static func lists(_ group: String, of file: KeyFile?) -> [(String, [String])] {
            (file?.values(in: group) ?? [:]).sorted { $0.key < $1.key }.prefix(maximumTypes).map { type, value in
                (type, KeyFile.list(value).prefix(maximumApps).compactMap(DesktopEntryIndex.identifier(ofFile:)))
            }
        }
    }
}
