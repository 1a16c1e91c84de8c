// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A file that appears under its name only when it is whole.
///
/// It is written without a name (`O_TMPFILE`) where the file system can do that, so that even a
/// killed process leaves nothing behind, and under a temporary name beside its own elsewhere.
struct NewFile: Sendable {
    /// Where the bytes go until the file is kept.
    let descriptor: OpenDescriptor

    /// `O_TMPFILE` of Linux's `asm-generic/fcntl.h`, which Swift does not import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private let path: String
    private let temporary: String?

    /// Looks whether a name is free: before anything is done that would be lost if it is not.
    ///
    /// - Throws: ``ToolFailure`` when there is something of that name, a link included.
    static func checkFree(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw ToolFailure.exists(path) }
    }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: The name that it will have.
    ///   - mode: Its permissions, less the process's mask.
    /// - Throws: ``ToolFailure`` when nothing can be written there.
    init(path: String, mode: mode_t) throws {
        self.path = path
        // A file without a name may be written where one of this name may not.
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

    /// Gives the file its name, in the place of another of that name.
    func replace() throws {
        try sync()
        let beside = try temporary ?? linked(as: Self.temporaryName(for: path))
        guard rename(beside, path) == 0 else {
            let code = errno
            unlink(beside)
            throw ToolFailure("cannot write \(path)", errno: code, status: .cannotWrite)
        }
    }

    /// Gives the file its name, unless there is something of that name, a link included.
    func createExclusively() throws {
        defer { discard() }
        try sync()
        if let temporary {
            guard link(temporary, path) == 0 else { throw failure(errno) }
        } else {
            _ = try linked(as: path)
        }
    }

    /// Drops the file, unless it has its name.
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
