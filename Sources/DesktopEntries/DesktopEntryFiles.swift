// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc

/// The desktop entry files in a directory and its subdirectories. Links are followed.
public struct DesktopEntryFiles {
    /// The files with their ids. An id is the relative path with a `-` for each `/`, and without
    /// `.desktop`.
    ///
    /// A file whose name is not UTF-8 is left out, because its id cannot be sent over the bus.
    public private(set) var files: [(identifier: String, path: String)] = []
    /// The directories that were read, the outermost first.
    public private(set) var directories: [String] = []

    /// The maximum depth of nested directories.
    static let maximumDepth = 4
    static let suffix = ".desktop"

    /// The number of names that may still be read. The limit is necessary because links can lead to
    /// one directory in many ways.
    private var room = DesktopEntryIndex.maximumFiles

    /// The identity of a directory, which is independent of its path.
    private struct Identity: Hashable {
        let device: dev_t
        let number: ino_t
    }

    /// Finds the files that exist now.
    public init(in directory: URL) { read(directory.path, prefix: "", inside: []) }

    /// Returns the possible paths of the file for an id. There may be several, because a `-` in the
    /// id may stand for a `/`.
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

    /// Returns the app id for a file name, or nil if no desktop entry has such a name.
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

    /// Reads a directory and its subdirectories.
    ///
    /// - Parameter outer: The directories that contain this directory. A link to one of them is not
    ///   followed, because it would cause a loop.
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

    /// Returns the sorted names in a directory, except those that are not UTF-8.
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
