// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc

/// The files of desktop entries in a data directory, and in all directories inside of it, links
/// among them.
public struct DesktopEntryFiles {
    /// The files with the ids that they give, in which a `-` stands for each `/`. A file whose name
    /// is not UTF-8 has no id that could be said on the bus.
    public private(set) var files: [(identifier: String, path: String)] = []
    /// The directories, the outermost first.
    public private(set) var directories: [String] = []

    /// How deep directories stand inside each other.
    static let maximumDepth = 4
    static let suffix = ".desktop"

    /// How many names may still be looked at: links can lead to the same directory on many ways.
    private var room = DesktopEntryIndex.maximumFiles

    /// Which directory it is, whatever its path.
    private struct Identity: Hashable {
        let device: dev_t
        let number: ino_t
    }

    /// The files that there are now.
    public init(in directory: URL) { read(directory.path, prefix: "", inside: []) }

    /// Where the files of an id may be in a directory: a `-` of the id may stand for a `/`.
    ///
    /// - Parameter identifier: An id without `/`.
    static func paths(of identifier: String, in directory: String, depth: Int = 0) -> [String] {
        guard depth <= maximumDepth else { return [] }
        let inner = identifier.unicodeScalars.indices.filter { identifier.unicodeScalars[$0] == "-" }.flatMap { dash in
            let name = String(identifier[..<dash])
            let path = "\(directory)/\(name)"
            guard !["", ".", ".."].contains(name), Self.identity(ofDirectory: path) != nil else { return [String]() }
            return paths(of: String(identifier.unicodeScalars[dash...].dropFirst()), in: path, depth: depth + 1)
        }
        return ["\(directory)/\(identifier)\(suffix)"] + inner
    }

    /// The id of the app whose file has a name; nil for a name that is no desktop entry's.
    static func identifier(ofFile name: String) -> String? {
        name.utf8.count > suffix.utf8.count ? identifierPart(ofFile: name) : nil
    }

    private static func identifierPart(ofFile name: String) -> String? {
        let bytes = name.utf8
        guard bytes.count >= suffix.utf8.count, bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else {
            return nil
        }
        return String(decoding: bytes.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    /// - Parameter outer: The directories in which this one is. A link to one of them leads in a
    ///   circle.
    private mutating func read(_ path: String, prefix: String, inside outer: Set<Identity>) {
        guard let identity = Self.identity(ofDirectory: path), !outer.contains(identity) else { return }
        directories.append(path)
        for name in Self.names(in: path) {
            guard room > 0 else { return }
            room -= 1
            if let identifier = Self.identifierPart(ofFile: name) {
                if !(prefix + identifier).isEmpty { files.append((prefix + identifier, "\(path)/\(name)")) }
            } else if outer.count < Self.maximumDepth {
                read("\(path)/\(name)", prefix: "\(prefix)\(name)-", inside: outer.union([identity]))
            }
        }
    }

    private static func identity(ofDirectory path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return Identity(device: status.st_dev, number: status.st_ino)
    }

    /// What is in a directory, by name. Names that are not UTF-8 are left out.
    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
