// SPDX-License-Identifier: Apache-2.0

internal import Descriptors
public import FoundationEssentials

/// The desktop entries of all installed apps, and which of these the desktop opens what with.
public struct DesktopEntryIndex: Hashable, Sendable {
    /// The apps, by id.
    public let entries: [String: DesktopEntry]
    /// Which apps the desktop opens what with.
    public let mimeDefaults: MimeDefaults

    /// The largest file that is read, in bytes.
    public static let largestEntry = 1 << 20
    /// How many files are looked at; of more than that, those with the first names count.
    public static let maximumFiles = 16_384
    /// The most adapters; of more than that, those with the first ids count.
    public static let maximumAdapters = 64
    /// How deep directories stand inside each other.
    static let maximumDepth = 4

    /// Apps that are known already.
    public init(_ entries: [DesktopEntry] = [], mimeDefaults: MimeDefaults = MimeDefaults()) {
        self.entries = Dictionary(entries.map { ($0.identifier, $0) }) { first, _ in first }
        self.mimeDefaults = mimeDefaults
    }

    /// Reads the entries of all directories, the first directory that has an app's id counting: one
    /// there that is deleted (`Hidden`) hides those after it.
    ///
    /// - Parameter mimePlaces: Where else it stands which app opens what; nil for nobody who asks.
    public init(
        directories: [URL], languages: [String] = DesktopEntryIndex.languages, mimePlaces: MimePlaces? = nil
    ) {
        var entries: [String: DesktopEntry] = [:]
        var seen: [String: Int] = [:]
        for (number, directory) in directories.enumerated() {
            for (identifier, file) in Self.files(in: directory) where seen.count < Self.maximumFiles {
                guard seen[identifier] == nil else { continue }
                seen[identifier] = number
                entries[identifier] = Self.entry(identifier, file, languages)
            }
        }
        self.entries = entries
        mimeDefaults =
            mimePlaces.map { places in
                MimeDefaults(places: places, applications: directories) { [entries, seen] in
                    entries[$0] == nil ? nil : seen[$0]
                }
            } ?? MimeDefaults()
    }

    /// The same apps, each changed: what it declares does not all count.
    public func map(_ change: (DesktopEntry) -> DesktopEntry) -> DesktopEntryIndex {
        DesktopEntryIndex(entries.values.map(change), mimeDefaults: mimeDefaults)
    }

    /// The entries that speak for other apps, by id.
    public var adapters: [DesktopEntry] {
        Array(entries.values.filter(\.isAdapter).sorted { $0.identifier < $1.identifier }.prefix(Self.maximumAdapters))
    }

    /// Those that speak for an app.
    public func adapters(for application: String) -> [DesktopEntry] { adapters.filter { $0.adapts(application) } }

    /// The apps that are installed now.
    public static var installed: DesktopEntryIndex { DesktopEntryIndex(directories: directories) }

    /// Where desktop entries are, the first that counts first: `applications` in `$XDG_DATA_HOME`
    /// and in each of `$XDG_DATA_DIRS`.
    public static var directories: [URL] { SessionVariables.ofProcess.applicationDirectories }

    /// `$XDG_DATA_HOME` and each of `$XDG_DATA_DIRS`, the first that counts first.
    public static var dataDirectories: [URL] { SessionVariables.ofProcess.dataDirectories }

    /// The user's languages, the most wanted first.
    public static var languages: [String] { SessionVariables.ofProcess.languages }

    /// Reads the desktop entry of one app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - directories: Where to look; the first file of this name counts.
    /// - Returns: Nil when there is none, the id is none, or the file cannot be read, is too large
    ///   or says that the app is deleted.
    public static func entry(_ identifier: String, in directories: [URL] = directories) -> DesktopEntry? {
        guard !identifier.isEmpty, !identifier.utf8.contains(UInt8(ascii: "/")), !identifier.utf8.contains(0) else {
            return nil
        }
        for directory in directories {
            let file = directory.appending(component: identifier + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            return entry(identifier, file, languages)
        }
        return nil
    }

    private static func entry(_ identifier: String, _ file: URL, _ languages: [String]) -> DesktopEntry? {
        text(of: file).flatMap {
            DesktopEntry(identifier: identifier, text: $0, languages: languages, place: DesktopEntryPlace(of: file))
        }
    }

    /// The id of the app whose file has a name; nil for a name that is no desktop entry's.
    static func identifier(ofFile name: String) -> String? {
        name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count ? String(name.dropLast(suffix.count)) : nil
    }

    private static let suffix = ".desktop"

    /// The files of a directory, with the ids that they give: a `-` for each `/`.
    private static func files(in directory: URL, prefix: String = "", depth: Int = 0) -> [(String, URL)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.sorted().prefix(maximumFiles).flatMap { name -> [(String, URL)] in
            let url = directory.appending(component: name)
            if name.hasSuffix(suffix) { return [(prefix + name.dropLast(suffix.count), url)] }
            guard depth < maximumDepth, isDirectory(url) else { return [] }
            return files(in: url, prefix: "\(prefix)\(name)-", depth: depth + 1)
        }
    }

    /// Whether it is a directory itself, and no link to one, which could lead in a circle.
    private static func isDirectory(_ url: URL) -> Bool {
        let type = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type]
        return type as? FileAttributeType == .typeDirectory
    }

    private static func text(of file: URL) -> String? {
        guard let bytes = try? FileContents.read(file.path, limit: largestEntry) else { return nil }
        return String(bytes: bytes, encoding: .utf8)
    }
}
