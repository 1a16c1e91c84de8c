// SPDX-License-Identifier: Apache-2.0

internal import Descriptors
public import FoundationEssentials

/// The desktop entries of all installed apps, and the default apps for types.
public struct DesktopEntryIndex: Hashable, Sendable {
    /// The apps, by id.
    public let entries: [String: DesktopEntry]
    /// The apps that open each type.
    public let mimeDefaults: MimeDefaults
    /// The programs that the entries name, by path or by name. An app counts as installed only if
    /// its programs exist.
    public let programNames: Set<String>

    /// The maximum size of a file, in bytes. Larger files are ignored.
    public static let largestEntry = 1 << 20
    /// The maximum number of ids, and of file names in one data directory.
    public static let maximumFiles = 16_384
    /// The maximum number of adapters. If there are more adapters, only those whose ids sort first
    /// are used.
    public static let maximumAdapters = 64

    /// Creates an index of known apps.
    public init(_ entries: [DesktopEntry] = [], mimeDefaults: MimeDefaults = MimeDefaults()) {
        self.init(entries, mimeDefaults: mimeDefaults, programNames: [])
    }

    private init(_ entries: [DesktopEntry], mimeDefaults: MimeDefaults, programNames: Set<String>) {
        self.entries = Dictionary(entries.map { ($0.identifier, $0) }) { first, _ in first }
        self.mimeDefaults = mimeDefaults
        self.programNames = programNames
    }

    /// Reads the entries in all directories.
    ///
    /// For each id, the first valid entry whose programs exist is used. If that entry is deleted
    /// (`Hidden`) or gives no way to start the app, the app counts as missing.
    ///
    /// - Parameters:
    ///   - mimePlaces: The places of the lists of default apps, or nil if the defaults are not
    ///     needed.
    ///   - programs: The programs that exist.
    public init(
        directories: [URL], languages: [String] = DesktopEntryIndex.languages, mimePlaces: MimePlaces? = nil,
        programs: Programs = .ofProcess
    ) {
        var entries: [String: DesktopEntry] = [:]
        var seen: [String: Int] = [:]
        var names: Set<String> = []
        for (number, directory) in directories.enumerated() {
            for (identifier, file) in DesktopEntryFiles(in: directory).files {
                guard seen[identifier] != nil || seen.count < Self.maximumFiles else { continue }
                seen[identifier] = seen[identifier] ?? number
                guard entries[identifier] == nil, let entry = Self.entry(identifier, file, languages) else { continue }
                names.formUnion(entry.programs)
                if entry.hasPrograms(in: programs) { entries[identifier] = entry }
            }
        }
        let apps = entries.filter { $0.value.isApp }
        self.init(
            Array(apps.values),
            mimeDefaults: mimePlaces.map {
                MimeDefaults(places: $0, applications: directories, installed: Set(apps.keys)) { seen[$0] }
            } ?? MimeDefaults(), programNames: names)
    }

    /// Returns an index in which each entry is changed, for example by removing rejected
    /// declarations.
    public func map(_ change: (DesktopEntry) -> DesktopEntry) -> DesktopEntryIndex {
        DesktopEntryIndex(entries.values.map(change), mimeDefaults: mimeDefaults, programNames: programNames)
    }

    /// The entries that are adapters for other apps, sorted by id.
    public var adapters: [DesktopEntry] {
        Array(entries.values.filter(\.isAdapter).sorted { $0.identifier < $1.identifier }.prefix(Self.maximumAdapters))
    }

    /// Returns the adapters for an app.
    public func adapters(for application: String) -> [DesktopEntry] { adapters.filter { $0.adapts(application) } }

    /// The apps that are installed now.
    public static var installed: DesktopEntryIndex { DesktopEntryIndex(directories: directories) }

    /// The directories of desktop entries, in order of precedence.
    ///
    /// These are `applications` in `$XDG_DATA_HOME` and in each of `$XDG_DATA_DIRS`.
    public static var directories: [URL] { SessionVariables.ofProcess.applicationDirectories }

    /// `$XDG_DATA_HOME` and each of `$XDG_DATA_DIRS`, in order of precedence.
    public static var dataDirectories: [URL] { SessionVariables.ofProcess.dataDirectories }

    /// The user's languages, in order of preference.
    public static var languages: [String] { SessionVariables.ofProcess.languages }

    /// Reads the desktop entry of one app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - directories: The directories to search, in order of precedence.
    /// - Returns: The entry, or nil if the id is invalid, no app with this id can be started, or
    ///   the entry says that the app is deleted. A file that cannot be read or is too large counts
    ///   as missing.
    public static func entry(_ identifier: String, in directories: [URL] = directories) -> DesktopEntry? {
        guard !identifier.isEmpty, !identifier.utf8.contains(UInt8(ascii: "/")), !identifier.utf8.contains(0) else {
            return nil
        }
        let found = directories.lazy.flatMap { DesktopEntryFiles.paths(of: identifier, in: $0.path) }
            .compactMap { entry(identifier, $0, languages) }.first { $0.hasPrograms(in: .ofProcess) }
        return found.flatMap { $0.isApp ? $0 : nil }
    }

    /// Returns the entry in a file, even if the app is deleted. Returns nil if the file is not an
    /// app's entry.
    private static func entry(_ identifier: String, _ file: String, _ languages: [String]) -> DesktopEntry? {
        guard let contents = try? FileContents.read(file, limit: largestEntry) else { return nil }
        return DesktopEntry(
            identifier: identifier, contents: contents, languages: languages,
            place: DesktopEntryPlace(of: URL(filePath: file)), file: file)
    }
}
