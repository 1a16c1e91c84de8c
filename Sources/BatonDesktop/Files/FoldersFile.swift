// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// The file with the folders that the user's laptops share: `$XDG_CONFIG_HOME/baton/folders`.
struct FoldersFile: Sendable {
    /// The maximum size, in bytes. Apps read no larger file.
    private static let limit = 65_536

    private let file: ConfigurationFile

    /// Creates a value for a file, by default the user's.
    init(_ url: URL = BaseDirectories.configuration.appending(path: "baton/folders")) {
        file = ConfigurationFile(url: url, limit: Self.limit)
    }

    var directories: [String] { file.directories }

    /// The folders on the valid lines, ordered by name. The list is empty if the file cannot be
    /// read.
    var folders: [SharedFolder] {
        let lines = (try? file.lines()) ?? []
        return SharedFolders(configuration: Array(lines.joined(separator: [UInt8(ascii: "\n")]))) { _ in }.folders
            .map { SharedFolder(name: $0, path: $1.path) }.sorted { $0.name < $1.name }
    }

    /// Adds a folder, gives a folder another path, or removes a folder. Other lines and comments
    /// stay as they are.
    ///
    /// - Parameter path: The path, or an empty text to remove the folder.
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    func set(_ name: String, to path: String) throws {
        let line = "\(name) = \(path)"
        guard path.isEmpty || Self.folders(of: line).keys.first == name, !name.isEmpty,
            !line.utf8.contains(UInt8(ascii: "\n"))
        else {
            throw BatonError(.invalidArgument, .folderUnusable)
        }
        let before = try file.text()
        // Scalars: for Swift, a carriage return and a newline are one `Character`.
        var lines = before.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        // Only the first line with a name counts.
        let index = lines.firstIndex { Self.folders(of: $0).keys.first == name }
        switch (index, path.isEmpty) {
        case (let index?, true): lines.remove(at: index)
        case (let index?, false): lines[index] = line
        case (nil, true): throw BatonError(.notFound, .folderMissing, ["folder": .text(name)])
        case (nil, false): lines.insert(line, at: lines.last?.isEmpty == true ? lines.count - 1 : lines.count)
        }
        let text = lines.joined(separator: "\n")
        try file.replace(by: text.isEmpty || text.unicodeScalars.last == "\n" ? text : text + "\n")
    }

    private static func folders(of line: String) -> [String: URL] {
        SharedFolders(configuration: Array(line.utf8)) { _ in }.folders
    }
}
