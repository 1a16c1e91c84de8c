// SPDX-License-Identifier: Apache-2.0

public import DesktopEntries
import DirectoryWatching
public import FoundationEssentials

/// The apps that are installed, kept up to date.
public actor AppCatalogue {
    /// The apps as they are now.
    public private(set) var index: DesktopEntryIndex
    private let directories: [URL]
    private let languages: [String]
    private let mimePlaces: MimePlaces

    /// How long changes may go on before they are read; a package's installation is one change.
    static let settling = Duration.milliseconds(200)

    /// Reads the apps that there are.
    public init(
        directories: [URL] = DesktopEntryIndex.directories, languages: [String] = DesktopEntryIndex.languages,
        mimePlaces: MimePlaces = .ofUser
    ) {
        self.directories = directories
        self.languages = languages
        self.mimePlaces = mimePlaces
        index = DesktopEntryIndex(directories: directories, languages: languages, mimePlaces: mimePlaces)
    }

    /// Watches the directories until the task is cancelled, and says what there is after each
    /// change, as well as at the beginning.
    public func watch(_ changed: @Sendable (DesktopEntryIndex) async -> Void) async {
        var isFirst = true
        while !Task.isCancelled {
            // Watched before it is read, so that nothing falls in between; and anew each time, for
            // directories come and go.
            let watched = mimePlaces.configuration.map(\.path) + directories.flatMap(Self.withSubdirectories)
            let watch = DirectoryWatch(watched, isOfInterest: Self.isOfInterest)
            let new = DesktopEntryIndex(directories: directories, languages: languages, mimePlaces: mimePlaces)
            if isFirst || new != index {
                index = new
                isFirst = false
                await changed(new)
            }
            await DirectoryWatch.change(watch)
            try? await Task.sleep(for: Self.settling)
        }
    }

    /// The app with an id.
    public func entry(_ identifier: String) -> DesktopEntry? { index.entries[identifier] }

    /// Whether a file says anything of apps: `~/.config` has many others, which change often.
    private static func isOfInterest(_ name: String) -> Bool {
        [".desktop", "mimeapps.list", "mimeinfo.cache"].contains { name.hasSuffix($0) }
    }

    private static func withSubdirectories(_ directory: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let subdirectories = names.filter { !$0.hasSuffix(".desktop") }.sorted().prefix(
            DirectoryWatch.maximumDirectories
        )
        .map { directory.appending(component: $0).path }
        .filter { path in
            var isDirectory = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
        }
        return [directory.path] + subdirectories
    }
}
