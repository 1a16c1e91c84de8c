// SPDX-License-Identifier: Apache-2.0

internal import Descriptors
public import FoundationEssentials

/// The desktop entries of all installed apps, and which of these the desktop opens what with.
public struct DesktopEntryIndex: Hashable, Sendable {
    /// The apps, by id.
    public let entries: [String: DesktopEntry]
    /// Which apps the desktop opens what with.
    public let mimeDefaults: MimeDefaults
    /// The programs that entries name, by path or by name: an app comes and goes with its own.
    public let programNames: Set<String>

    /// The largest file that is read, in bytes.
    public static let largestEntry = 1 << 20
    /// How many ids count, and how many names of files in one data directory are looked at.
    public static let maximumFiles = 16_384
    /// The most adapters; of more than that, those with the first ids count.
    public static let maximumAdapters = 64

    /// Apps that are known already.
    public init(_ entries: [DesktopEntry] = [], mimeDefaults: MimeDefaults = MimeDefaults()) {
        self.init(entries, mimeDefaults: mimeDefaults, programNames: [])
    }

    private init(_ entries: [DesktopEntry], mimeDefaults: MimeDefaults, programNames: Set<String>) {
        self.entries = Dictionary(entries.map { ($0.identifier, $0) }) { first, _ in first }
        self.mimeDefaults = mimeDefaults
        self.programNames = programNames
    }

    /// Reads the entries of all directories. Of several with the same id the first one counts that
    /// is an application's and whose programs are there. If that one is deleted (`Hidden`), or does
    /// not say how it is started, there is no such app.
    ///
    /// - Parameters:
    ///   - mimePlaces: Where else it stands which app opens what; nil for nobody who asks.
    ///   - programs: The programs that there are.
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

    /// The same apps, each changed: what it declares does not all count.
    public func map(_ change: (DesktopEntry) -> DesktopEntry) -> DesktopEntryIndex {
        DesktopEntryIndex(entries.values.map(change), mimeDefaults: mimeDefaults, programNames: programNames)
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
    ///   - directories: Where to look, in the order in which they count.
    ///   - programs: The programs that there are.
    /// - Returns: Nil when there is none that can be started, the id is none, or the entry says
    ///   that the app is deleted. A file that cannot be read or is too large is none.
    public static func entry(
        _ identifier: String, in directories: [URL] = directories, programs: Programs = .ofProcess
    ) -> DesktopEntry? {
        guard !identifier.isEmpty, !identifier.utf8.contains(UInt8(ascii: "/")), !identifier.utf8.contains(0) else {
            return nil
        }
        let found = directories.lazy.flatMap { DesktopEntryFiles.paths(of: identifier, in: $0.path) }
            .compactMap { entry(identifier, $0, languages) }.first { $0.hasPrograms(in: programs) }
        return found.flatMap { $0.isApp ? $0 : nil }
    }

    /// The entry in a file, deleted or not; nil for what is no app's.
    private static func entry(_ identifier: String, _ file: String, _ languages: [String]) -> DesktopEntry? {
        guard let contents = try? FileContents.read(file, limit: largestEntry) else { return nil }
        return DesktopEntry(
            identifier: identifier, contents: contents, languages: languages,
            place: DesktopEntryPlace(of: URL(filePath: file)), file: file)
    }
}
