// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A folder that the user's laptops share.
public struct SharedFolder: Hashable, Sendable {
    /// The name, which is the same on all laptops.
    public var name: String
    /// The folder's path on this laptop.
    public var path: String

    /// Creates a shared folder.
    public init(name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// A copy of a document that another laptop handed over.
public struct DocumentCopy: Hashable, Sendable {
    /// The copy's path.
    public var path: String
    /// The copy's size in bytes.
    public var size: UInt64
    /// The time at which the copy was last changed.
    public var changed: Date

    /// Creates a copy.
    public init(path: String, size: UInt64, changed: Date) {
        (self.path, self.size, self.changed) = (path, size, changed)
    }

    /// The name of the document.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The user's files that Baton uses: the answer of `Files.Follow`.
public struct UserFiles: Hashable, Sendable {
    /// The shared folders, ordered by name.
    public var folders: [SharedFolder]
    /// The latest copies, newest first.
    public var copies: [DocumentCopy]

    /// Creates a list of files.
    public init(folders: [SharedFolder] = [], copies: [DocumentCopy] = []) {
        (self.folders, self.copies) = (folders, copies)
    }
}
