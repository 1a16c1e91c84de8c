// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The apps that the desktop uses to open each MIME type and URL scheme.
///
/// A scheme is written as a type: `x-scheme-handler/https`. Each type has a default app and further
/// apps. Source: Association between MIME types and applications 1.0.1 (mime-apps-spec), as GIO
/// reads it (gdesktopappinfo.c, `g_app_info_get_default_for_type` and
/// `g_app_info_get_recommended_for_type`). A default is used even if the app does not say that it
/// opens the type.
public struct MimeDefaults: Hashable, Sendable {
    /// The associations in each directory's files, by type, in order of precedence.
    private let directories: [[String: MimeTweaks]]
    private let hierarchy: MimeHierarchy
    /// The ids of installed apps, or nil to treat all named apps as installed.
    private let installed: Set<String>?

    /// The maximum number of types in a group of a file. Further types are ignored.
    public static let maximumTypes = 16_384
    /// The maximum number of apps for a type, in one file and in total.
    public static let maximumApps = 64
    /// The maximum size of a file, in bytes. Larger files are ignored.
    public static let largestFile = 1 << 20

    /// Creates known associations.
    ///
    /// - Parameter order: The ids of apps by type, the default first.
    public init(_ order: [String: [String]] = [:]) {
        directories = [order.mapValues { MimeTweaks(additions: $0) }]
        hierarchy = MimeHierarchy()
        installed = nil
    }

    /// Reads the desktop's files.
    ///
    /// - Parameters:
    ///   - places: The places of `mimeapps.list` outside of the directories of desktop entries.
    ///   - applications: The directories of desktop entries, in order of precedence.
    ///   - installed: The ids of installed apps.
    ///   - directoryOfFile: Returns the index of the first of these directories that has a file for
    ///     an id, or nil if there is none. The file need not be a valid entry.
    init(places: MimePlaces, applications: [URL], installed: Set<String>, directoryOfFile: (String) -> Int?) {
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
            // Drop associations with an id for which an earlier directory has a file, because there
            // the id means another app.
            for type in tweaks.keys { tweaks[type]?.removeApps { (directoryOfFile($0) ?? number) < number } }
            directories.append(tweaks)
        }
        self.directories = directories
    }

    /// Returns the ids of the installed apps that open a type, the default first.
    public func applications(for type: String) -> [String] {
        var (apps, blocked): ([String], [String]) = ([], [])
        associate(hierarchy.type(type), &apps, &blocked)
        let first = application(for: type)
        return Array(
            ((first.map { [$0] } ?? []) + apps.filter { isInstalled($0) && $0 != first }).prefix(Self.maximumApps))
    }

    /// Returns the id of the default app for a type, or nil if no installed app opens the type.
    ///
    /// If no app opens the type, an app for a more general type is chosen.
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

    /// Adds the apps that the directories name for a type, except those that an earlier directory
    /// removes.
    private func associate(_ type: String, _ apps: inout [String], _ blocked: inout [String]) {
        for tweaks in directories.compactMap({ $0[type] }) {
            for app in tweaks.additions ?? [] where !blocked.contains(app) && !apps.contains(app) { apps.append(app) }
            for app in tweaks.removals ?? [] where !blocked.contains(app) && !apps.contains(app) { blocked.append(app) }
        }
    }

    private func isInstalled(_ app: String) -> Bool { installed?.contains(app) ?? true }

    /// Returns whether a desktop's name has only characters that are safe in a file name.
    private static func isDesktop(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(SandboxedApp.isIdentifierByte)
    }
}
