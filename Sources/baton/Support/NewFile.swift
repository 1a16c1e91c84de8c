// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A file that appears under its name only when it is complete.
///
/// If the file system allows it, the file has no name while it is written (`O_TMPFILE`), so that
/// even a killed process leaves nothing behind. On other file systems the file has a temporary name
/// in the same directory.
struct NewFile: Sendable {
    /// The descriptor to write to until the file gets its name.
    let descriptor: OpenDescriptor

    /// `O_TMPFILE` of Linux's `asm-generic/fcntl.h`, which Swift does not import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private let path: String
    private let temporary: String?

    /// Throws if a name is taken. Call this before work whose result would be lost if the file
    /// could not be created.
    ///
    /// - Throws: ``ToolFailure`` when the name exists, even as a link.
    static func checkFree(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw ToolFailure.exists(path) }
    }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: The final name.
    ///   - mode: The permissions, before the process's umask.
    /// - Throws: ``ToolFailure`` when the directory cannot be written.
    init(path: String, mode: mode_t) throws {
        self.path = path
        // Check the name now, because an unnamed file can be created even if the name is invalid.
        var status = stat()
        guard lstat(path, &status) == 0 || errno == ENOENT else {
            throw ToolFailure("cannot write \(path)", errno: errno, status: .cannotWrite)
        }
        let directory = Self.directory(of: path)
        let unnamed = open(directory, Self.unnamed | O_WRONLY | O_CLOEXEC, mode)
        if unnamed >= 0 {
            descriptor = OpenDescriptor(unnamed)
            temporary = nil
            return
        }
        let beside = Self.temporaryName(for: path)
        let named = open(beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode)
        guard named >= 0 else { throw ToolFailure("cannot write \(path)", errno: errno, status: .cannotWrite) }
        descriptor = OpenDescriptor(named)
        temporary = beside
    }

    /// Gives the file its name. Replaces an existing file.
    func replace() throws {
        try sync()
        let beside = try temporary ?? linked(as: Self.temporaryName(for: path))
        guard rename(beside, path) == 0 else {
            let code = errno
            unlink(beside)
            throw ToolFailure("cannot write \(path)", errno: code, status: .cannotWrite)
        }
    }

    /// Gives the file its name. Throws if the name exists, even as a link.
    func createExclusively() throws {
        defer { discard() }
        try sync()
        if let temporary {
            guard link(temporary, path) == 0 else { throw failure(errno) }
        } else {
            _ = try linked(as: path)
        }
    }

    /// Removes the file, unless it already has its name.
    func discard() { if let temporary { unlink(temporary) } }

    private func sync() throws {
        guard fsync(descriptor.number) == 0 else {
            throw ToolFailure("cannot write \(path)", errno: errno, status: .cannotWrite)
        }
    }

    private func linked(as name: String) throws -> String {
        guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor.number)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
            throw failure(errno)
        }
        return name
    }

    private func failure(_ code: Int32) -> ToolFailure {
        code == EEXIST ? .exists(path) : ToolFailure("cannot write \(path)", errno: code, status: .cannotWrite)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func temporaryName(for path: String) -> String {
        directory(of: path) + "/.baton-" + UUID().uuidString.lowercased()
    }
}
