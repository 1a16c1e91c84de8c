// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials
import Glibc

/// The one file that a device's state lives in: 0600 in a 0700 directory, replaced whole, locked by
/// one daemon at a time.
///
/// After a crash at any moment it holds the old state or the new one. It is never remade: what
/// cannot be read is reported, and left.
package final class StateFile: Sendable {
    private let directory: String
    private let lock: OwnedDescriptor
    private let sync: @Sendable (_ descriptor: Int32) -> Int32
    private let afterStep: @Sendable (_ step: String) -> Void

    /// The steps of a ``write(_:)``, in order, by the names that `afterStep` gets.
    package static let steps = ["unlinked", "opened", "written", "synced", "renamed"]

    private var path: String { directory + "/state" }

    /// Opens the directory, making it when it is missing, and locks it for as long as this object
    /// lives.
    ///
    /// - Parameters:
    ///   - afterStep: Called after each step of a ``write(_:)``, by its name; for tests, which look
    ///     what a crash there would leave.
    ///   - sync: What writes a file or a directory out, `fsync`; a test looks when it is called.
    /// - Throws: ``BatonError/Code/stateInUse`` when another daemon has it,
    ///   ``BatonError/Code/stateUnusable`` when others than its owner may enter it.
    package init(
        directory: String, afterStep: @escaping @Sendable (_ step: String) -> Void = { _ in },
        sync: @escaping @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    ) throws {
        self.directory = directory
        self.sync = sync
        self.afterStep = afterStep
        try Self.makePrivate(directory)
        let descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open \(directory)/lock", errno) }
        lock = OwnedDescriptor(adopting: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BatonError(
                .stateInUse,
                "another batond uses \(directory); stop it, or give this one a directory of its own with --state-directory"
            )
        }
        // What a crash has left.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix(Self.reservedName) { unlink(directory + "/" + name) }
    }

    /// Takes room on the disk for a ``write(_:into:)``, which then does not fail for want of it.
    ///
    /// - Parameter count: How many bytes.
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is not so much, or nothing can be
    ///   written at all.
    package func reserveRoom(for count: Int) throws -> StateDraft {
        guard lock.isHeld else { throw BatonError(.stateUnusable, "the service has stopped; start batond again") }
        return try newDraft(at: "\(directory)/\(Self.reservedName)\(UUID())", room: count)
    }

    /// What the names of reserved drafts begin with.
    private static let reservedName = "state.room."

    /// Leaves the directory to another daemon; nothing is written any more.
    package func release() {
        guard let descriptor = lock.take() else { return }
        // A program that is just being started has a copy of the descriptor, which alone would hold
        // the lock on.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    deinit { release() }

    /// The file's bytes; nil when there is none yet.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when it is too open, too large or unreadable.
    package func read(limit: Int) throws -> [UInt8]? {
        // A pipe in its place would have this wait for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw BatonError(.stateUnusable, "\(path) is a link; put the file itself there") }
            throw Self.failure("cannot read \(path)", errno)
        }
        defer { close(descriptor) }
        let status = try Self.checked(
            Self.status { fstat(descriptor, &$0) }, isPrivate: S_IFREG, path,
            otherwise: "its keys may be known; run 'chmod 600 \(path)' if you are sure they are not")
        guard status.st_size <= limit else {
            throw BatonError(
                .stateUnusable,
                "\(path) is larger than a state can be. Restore it from a copy, or move it away to start as a new device outside the circle"
            )
        }
        do {
            return try FileContents.read(descriptor, limit: limit)
        } catch {
            throw Self.failure("cannot read \(path)", error.code)
        }
    }

    /// Replaces the file: a new one is written and synced beside it, takes its name, and the
    /// directory is synced.
    ///
    /// - Parameter room: What ``reserveRoom(for:)`` gave for it, which is used up; nil for a file
    ///   that is made now.
    /// - Throws: ``BatonError/Code/stateUnusable`` when it cannot be written, or the directory
    ///   was released.
    package func write(_ bytes: [UInt8], into room: StateDraft? = nil) throws {
        guard lock.isHeld else { throw BatonError(.stateUnusable, "the service has stopped; start batond again") }
        let temporary = path + ".new"
        unlink(temporary)
        afterStep("unlinked")
        let draft = try room ?? newDraft(at: temporary)
        defer { draft.discard() }
        afterStep("opened")
        try draft.use { descriptor in
            try Self.writeAll(descriptor, bytes, path: draft.path)
            guard ftruncate(descriptor, off_t(bytes.count)) == 0 else {
                throw Self.failure("cannot write \(draft.path)", errno)
            }
            afterStep("written")
            guard sync(descriptor) == 0 else { throw Self.failure("cannot sync \(draft.path)", errno) }
            afterStep("synced")
        }
        guard rename(draft.path, path) == 0 else { throw Self.failure("cannot replace \(path)", errno) }
        afterStep("renamed")
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Self.failure("cannot sync \(directory)", errno) }
        defer { close(parent) }
        guard sync(parent) == 0 else { throw Self.failure("cannot sync \(directory)", errno) }
    }

    private func newDraft(at path: String, room count: Int = 0) throws -> StateDraft {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            // Nobody knows the names of reserved ones.
            throw Self.failure("cannot write \(count == 0 ? path : directory)", errno)
        }
        let draft = StateDraft(path: path, descriptor)
        // It refuses to take nothing.
        var code = count == 0 ? 0 : EINTR
        while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(count)) }
        guard code == 0 else {
            draft.discard()
            throw Self.failure("there is no room for \(count) bytes in \(directory)", code)
        }
        return draft
    }

    private static func makePrivate(_ directory: String) throws {
        try makeDirectories(directory)
        let status = Self.status { lstat(directory, &$0) }
        if let status, status.st_mode & S_IFMT != S_IFDIR {
            let kind = status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link, which is not followed" : "no directory"
            throw BatonError(.stateUnusable, "\(directory) is \(kind); name another with --state-directory")
        }
        try checked(status, isPrivate: S_IFDIR, directory, otherwise: "run 'chmod 700 \(directory)'")
    }

    /// What the system says of a file; nil when it says nothing.
    private static func status(_ ask: (inout stat) -> Int32) -> stat? {
        var status = stat()
        return ask(&status) == 0 ? status : nil
    }

    private static let elsewhere = "name a directory of your own with --state-directory"

    /// Checks that something is of a type, belongs to this user and is closed to all others.
    @discardableResult
    private static func checked(
        _ status: stat?, isPrivate type: mode_t, _ path: String, otherwise advice: String
    ) throws -> stat {
        guard let status else { throw BatonError(.stateUnusable, "\(path) cannot be looked at; \(elsewhere)") }
        guard status.st_mode & S_IFMT == type else {
            let kind = type == S_IFDIR ? "directory" : "regular file"
            throw BatonError(.stateUnusable, "\(path) is not a \(kind); move it away, or \(elsewhere)")
        }
        guard status.st_uid == geteuid() else {
            throw BatonError(.stateUnusable, "\(path) belongs to another user; \(elsewhere)")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw BatonError(.stateUnusable, "\(path) must be closed to all others; \(advice)")
        }
        return status
    }

    /// Makes a directory and those above it, as far as they are missing, for their owner alone.
    private static func makeDirectories(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropFirst().lastIndex(of: "/") else {
            throw failure("cannot make \(path)", errno)
        }
        try makeDirectories(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot make \(path)", errno) }
    }

    private static func writeAll(_ descriptor: Int32, _ bytes: [UInt8], path: String) throws {
        var written = 0
        while written < bytes.count {
            let put = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw failure("cannot write \(path)", errno) }
            written += put
        }
    }

    private static func failure(_ what: String, _ code: Int32) -> BatonError {
        let advice =
            switch code {
            case ENOSPC, EDQUOT: "; make room there"
            case ENOENT: "; make that directory"
            case EROFS: "; let this user write there"
            case EACCES, EPERM: "; let this user read and write there"
            default: ""
            }
        return BatonError(.stateUnusable, "\(what): \(String(cString: strerror(code)))\(advice)")
    }
}
