// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials

/// Which apps the desktop opens what with: for each MIME type and each scheme of addresses
/// (`x-scheme-handler/https`) the default, and those that come after it.
///
/// Source: Association between MIME types and applications 1.0.1 (mime-apps-spec), as GIO reads it
/// (gdesktopappinfo.c, `g_app_info_get_default_for_type` and
/// `g_app_info_get_recommended_for_type`). A default counts whether or not the app says that it
/// opens the type.
public struct MimeDefaults: Hashable, Sendable {
    /// What the files of each directory say, by type; the directory that counts first is first.
    private let directories: [[String: MimeTweaks]]
    private let hierarchy: MimeHierarchy
    /// The ids of the apps that there are; nil when all are that are named.
    private let installed: Set<String>?

    /// The most types that count of a group in a file; those that stand first do.
    public static let maximumTypes = 16_384
    /// The most apps that count for a type, of a file and in all.
    public static let maximumApps = 64
    /// The largest file that is read, in bytes.
    public static let largestFile = 1 << 20

    /// What is known already; nothing unless said.
    ///
    /// - Parameter order: Ids of apps by type, the default first.
    public init(_ order: [String: [String]] = [:]) {
        directories = [order.mapValues { MimeTweaks(additions: $0) }]
        hierarchy = MimeHierarchy()
        installed = nil
    }

    /// Reads what the desktop's files say.
    ///
    /// - Parameters:
    ///   - places: Where `mimeapps.list` is, beside the directories of desktop entries.
    ///   - applications: The directories of desktop entries, the first that counts first.
    ///   - installed: The ids of the apps that there are.
    ///   - directoryOfFile: The first of these directories that has a file for an id, be it an
    ///     app's or not; nil for none.
    init(
        places: MimePlaces, applications: [URL], installed: Set<String>, directoryOfFile: (String) -> Int?
    ) {
        let hierarchy = MimeHierarchy(
            directories: applications.map { $0.deletingLastPathComponent().appending(component: "mime") })
        self.hierarchy = hierarchy
        self.installed = installed
        let desktops = places.desktops.filter(Self.isDesktop)
        var directories = places.configuration.map { directory in
            MimeTweaks.read(directory, desktops: desktops, hasApps: false, hierarchy)
        }
        for (number, directory) in applications.enumerated() {
            var tweaks = MimeTweaks.read(directory, desktops: desktops, hasApps: true, hierarchy)
            // What says the same id of an earlier directory's file is about another app.
            for type in tweaks.keys { tweaks[type]?.removeApps { (directoryOfFile($0) ?? number) < number } }
            directories.append(tweaks)
        }
        self.directories = directories
    }

    /// The ids of the installed apps that open a type, the default first.
    public func applications(for type: String) -> [String] {
        var (apps, blocked): ([String], [String]) = ([], [])
        associate(hierarchy.type(type), &apps, &blocked)
        let first = application(for: type)
        return Array(
            ((first.map { [$0] } ?? []) + apps.filter { isInstalled($0) && $0 != first }).prefix(Self.maximumApps))
    }

    /// The id of the app that opens a type unless the user chooses another. An app for a more
    /// general type is the last choice.
    public func application(for type: String) -> String? {
        var blocked: [String] = []
        for type in hierarchy.typeAndParents(type) {
            var apps: [String] = []
            for directory in directories {
                apps += (directory[type]?.defaults ?? []).filter { !apps.contains($0) }
            }
            associate(type, &apps, &blocked)
            if let app = apps.first(where: isInstalled) { return app }
        }
        return nil
    }

    /// Adds the apps that are associated with a type, but for those that a directory before theirs
    /// takes away.
    private func associate(_ type: String, _ apps: inout [String], _ blocked: inout [String]) {
        for tweaks in directories.compactMap({ $0[type] }) {
            for app in tweaks.additions ?? [] where !blocked.contains(app) && !apps.contains(app) { apps.append(app) }
            for app in tweaks.removals ?? [] where !blocked.contains(app) && !apps.contains(app) { blocked.append(app) }
        }
    }

    private func isInstalled(_ app: String) -> Bool { installed?.contains(app) ?? true }

    /// Whether a desktop's name may be part of a file's name.
    private static func isDesktop(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(SandboxedApp.isIdentifierByte)
    }
}
