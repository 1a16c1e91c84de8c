// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import FoundationEssentials

/// The places to watch for changes of the installed apps and of their file types.
struct WatchedPlaces {
    /// The directories to watch, the most important ones first.
    private(set) var directories: [String] = []
    /// Further file names that matter: programs, and links to entries and lists.
    private var names: Set<String> = []

    /// The lists that assign apps to file types.
    private static let lists = ["mimeapps.list", "defaults.list", "mimeinfo.cache"]
    /// The lists that say which MIME types are more general than others.
    private static let hierarchy = ["aliases", "subclasses"]

    private let applications: [String]

    /// Finds the places to watch for the apps in some places.
    init(of places: AppPlaces, programNames: Set<String>) {
        let (applications, mimePlaces, programs) = (places.directories, places.mimePlaces, places.programs)
        self.applications = applications.map(\.path)
        let entries = applications.map { DesktopEntryFiles(in: $0) }
        let configured = (mimePlaces.configuration + applications).map(\.path)
        for directory in configured + entries.flatMap(\.directories) { watch(directory) }
        let lists = Self.lists + mimePlaces.desktops.map { "\($0)-mimeapps.list" }
        for directory in configured { for list in lists { follow("\(directory)/\(list)") } }
        for directory in applications { watch(directory.deletingLastPathComponent().appending(component: "mime").path) }
        programs.directories.forEach { watch($0) }
        for program in programNames.sorted() {
            let url = URL(filePath: program)
            names.insert(url.lastPathComponent)
            if program.hasPrefix("/") {
                watch(url.deletingLastPathComponent().path)
                follow(program)
            }
        }
        for file in entries.flatMap(\.files) { follow(file.path) }
    }

    /// Returns whether a change of a file with this name matters. `~/.config` has many other files
    /// that change often.
    func isOfInterest(_ name: String) -> Bool {
        name.hasSuffix(".desktop") || name.hasSuffix("mimeapps.list") || (Self.lists + Self.hierarchy).contains(name)
            || names.contains(name) || applications.contains { Self.isLink("\($0)/\(name)") }
    }

    /// Watches a directory, which need not exist yet, and the links that lead to it.
    private mutating func watch(_ directory: String) {
        let path = PathLinks(directory)
        add(path.target)
        for link in path.links { add(link) }
        // The missing component may be created as a link.
        if let missing = path.missing { names.insert(missing) }
    }

    /// Watches the target of a file and the links on the way, if the file is a link.
    private mutating func follow(_ file: String) {
        guard Self.isLink(file) else { return }
        let path = PathLinks(file)
        let end = URL(filePath: path.target)
        add((end.deletingLastPathComponent().path, end.lastPathComponent))
        for link in path.links { add(link) }
    }

    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    private mutating func add(_ file: (directory: String, name: String)) {
        names.insert(file.name)
        add(file.directory)
    }

    private mutating func add(_ directory: String) {
        if !directories.contains(directory) { directories.append(directory) }
    }
}
