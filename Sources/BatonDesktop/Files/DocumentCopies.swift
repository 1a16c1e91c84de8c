// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import FoundationEssentials
import Glibc

/// The copies of documents that other laptops handed over. The daemon never removes them
/// (Documentation/Decisions/0073-copies-stay.md).
struct DocumentCopies: Sendable {
    /// The maximum number of copies that are listed.
    static let maximum = 200
    /// The latest time of a copy: the end of the year 9999, in seconds since 1970.
    private static let latest = 253_402_300_799

    private let directory: String

    /// Creates a value for a directory, by default the user's.
    init(_ directory: URL = BaseDirectories.data.appending(path: "baton/documents")) { self.directory = directory.path }

    /// The directories to watch. Each copy has its own directory.
    var directories: [String] { [directory] + newest.map { "\(directory)/\($0)" } }

    /// The latest copies, newest first.
    var copies: [DocumentCopy] { newest.compactMap(copy) }

    /// The names of the latest copies' folders, the latest first.
    private var newest: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let dated = names.compactMap { name -> (name: String, time: Int)? in
            guard UUID(uuidString: name) != nil, let status = Self.status("\(directory)/\(name)", S_IFDIR) else {
                return nil
            }
            return (name, status.st_mtim.tv_sec)
        }
        return dated.sorted { ($1.time, $0.name) < ($0.time, $1.name) }.prefix(Self.maximum).map(\.name)
    }

    private func copy(in folder: String) -> DocumentCopy? {
        let path = "\(directory)/\(folder)"
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        // Prefer files that are not hidden, because apps put hidden lock files and swap files
        // beside a document.
        for file in files.filter({ !$0.hasPrefix(".") }) + files.filter({ $0.hasPrefix(".") }) {
            guard let status = Self.status("\(path)/\(file)", S_IFREG) else { continue }
            return DocumentCopy(
                path: "\(path)/\(file)", size: UInt64(clamping: status.st_size),
                changed: Date(timeIntervalSince1970: TimeInterval(min(max(0, status.st_mtim.tv_sec), Self.latest))))
        }
        return nil
    }

    /// Returns the status of a file, or nil if the file is not of the given kind. Does not follow
    /// links.
    private static func status(_ path: String, _ kind: mode_t) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind ? status : nil
    }
}
