// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Diagnosis
import FoundationEssentials
import Glibc

/// The file that holds a device's state, with mode 0600 in a directory with mode 0700.
///
/// Each write replaces the whole file. One daemon at a time locks the directory. After a crash at
/// any moment the file holds the old state or the new one. A file that cannot be read is reported
/// and stays as it is.
package final class StateFile: Sendable {
    private let directory: String
    private let lock: OwnedDescriptor
    private let sync: @Sendable (_ descriptor: Int32) -> Int32
    private let afterStep: @Sendable (_ step: String) -> Void

    /// The names that `afterStep` gets for the steps of a ``write(_:into:)``, in order.
    package static let steps = ["unlinked", "opened", "written", "synced", "renamed"]

    private var path: String { directory + "/state" }

    /// Opens the directory, makes it if necessary, and locks it for as long as this object lives.
    ///
    /// - Parameters:
    ///   - afterStep: Called with the name of each step of a ``write(_:into:)`` after the step.
    ///     Tests use it to simulate a crash after that step.
    ///   - sync: Writes a file or a directory to the disk, as `fsync` does. Tests use it to see
    ///     when that happens.
    /// - Throws: ``BatonError/Code/stateInUse`` when another daemon has locked the directory,
    ///   ``BatonError/Code/stateUnusable`` when users other than its owner may enter it.
    package init(
        directory: String, afterStep: @escaping @Sendable (_ step: String) -> Void = { _ in },
        sync: @escaping @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    ) throws {
        self.directory = directory
        self.sync = sync
        self.afterStep = afterStep
        try Self.makePrivate(directory)
        let descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(.stateUnwritten, directory + "/lock", errno) }
        lock = OwnedDescriptor(adopting: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BatonError(.stateInUse, .stateTaken, ["path": .text(directory)])
        }
        // Remove the drafts that a crash left.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix(Self.reservedName) { unlink(directory + "/" + name) }
    }

    /// Reserves disk space for a ``write(_:into:)``, which then cannot run out of space.
    ///
    /// - Parameter count: The number of bytes.
    /// - Throws: ``BatonError/Code/stateUnusable`` when there is not enough space, or the directory
    ///   cannot be written at all.
    package func reserveRoom(for count: Int) throws -> StateDraft {
        guard lock.isHeld else { throw BatonError(.stateUnusable, .ending) }
        return try newDraft(at: "\(directory)/\(Self.reservedName)\(UUID())", room: count)
    }

    /// The prefix of the names of reserved drafts.
    private static let reservedName = "state.room."

    /// Leaves the directory to another daemon. Every later write throws.
    package func release() {
        guard let descriptor = lock.take() else { return }
        // Unlock explicitly. A program that is just starting may have a copy of the descriptor, and
        // that copy alone would keep the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    deinit { release() }

    /// Returns the file's bytes, or nil if there is no file yet.
    ///
    /// - Throws: ``BatonError/Code/stateUnusable`` when others may access the file, or it is too
    ///   large or unreadable.
    package func read(limit: Int) throws -> [UInt8]? {
        // Use O_NONBLOCK, because a pipe in the file's place would make open(2) wait forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw BatonError(.stateUnusable, .stateLink, ["path": .text(path)]) }
            throw Self.failure(.stateUnreadable, path, errno)
        }
        defer { close(descriptor) }
        let status = try Self.checked(Self.status { fstat(descriptor, &$0) }, isPrivate: S_IFREG, path)
        guard status.st_size <= limit else {
            throw BatonError(.stateUnusable, .stateTooLarge, ["path": .text(path)])
        }
        do {
            return try FileContents.read(descriptor, limit: limit)
        } catch {
            throw Self.failure(.stateUnreadable, path, error.code)
        }
    }

    /// Replaces the file. Writes and syncs a new file beside it, renames that file, and syncs the
    /// directory.
    ///
    /// - Parameter room: The draft from ``reserveRoom(for:)``, which is used up; nil to make a
    ///   draft now.
    /// - Throws: ``BatonError/Code/stateUnusable`` when the file cannot be written, or the
    ///   directory was released.
    package func write(_ bytes: [UInt8], into room: StateDraft? = nil) throws {
        guard lock.isHeld else { throw BatonError(.stateUnusable, .ending) }
        let temporary = path + ".new"
        unlink(temporary)
        afterStep("unlinked")
        let draft = try room ?? newDraft(at: temporary)
        defer { draft.discard() }
        afterStep("opened")
        try draft.use { descriptor in
            do throws(FileContents.Failure) {
                try FileContents.write(bytes, to: descriptor)
            } catch {
                throw Self.failure(.stateUnwritten, draft.path, error.code)
            }
            guard ftruncate(descriptor, off_t(bytes.count)) == 0 else {
                throw Self.failure(.stateUnwritten, draft.path, errno)
            }
            afterStep("written")
            guard sync(descriptor) == 0 else { throw Self.failure(.stateUnwritten, draft.path, errno) }
            afterStep("synced")
        }
        guard rename(draft.path, path) == 0 else { throw Self.failure(.stateUnwritten, path, errno) }
        afterStep("renamed")
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Self.failure(.stateUnwritten, directory, errno) }
        defer { close(parent) }
        guard sync(parent) == 0 else { throw Self.failure(.stateUnwritten, directory, errno) }
    }

    private func newDraft(at path: String, room count: Int = 0) throws -> StateDraft {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            // Name only the directory, because users do not know the names of reserved drafts.
            throw Self.failure(.stateUnwritten, count == 0 ? path : directory, errno)
        }
        let draft = StateDraft(path: path, descriptor)
        // posix_fallocate fails for a length of 0.
        var code = count == 0 ? 0 : EINTR
        while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(count)) }
        guard code == 0 else {
            draft.discard()
            throw Self.failure(.stateUnwritten, directory, code)
        }
        return draft
    }

    private static func makePrivate(_ directory: String) throws {
        try makeDirectories(directory)
        let status = Self.status { lstat(directory, &$0) }
        if let status, status.st_mode & S_IFMT != S_IFDIR {
            throw BatonError(.stateUnusable, .stateNoDirectory, ["path": .text(directory)])
        }
        try checked(status, isPrivate: S_IFDIR, directory)
    }

    /// Returns a file's status, or nil if the system call fails.
    private static func status(_ ask: (inout stat) -> Int32) -> stat? {
        var status = stat()
        return ask(&status) == 0 ? status : nil
    }

    /// Checks that a file has the right type, belongs to this user, and is closed to all others.
    @discardableResult
    private static func checked(_ status: stat?, isPrivate type: mode_t, _ path: String) throws -> stat {
        guard let status else { throw failure(.stateUnreadable, path, errno) }
        let isDirectory = type == S_IFDIR
        func refusal(_ failure: FailureCode, command: String? = nil) -> BatonError {
            BatonError(.stateUnusable, Reason(failure, ["path": .text(path)]), command: command)
        }
        guard status.st_mode & S_IFMT == type else { throw refusal(isDirectory ? .stateNoDirectory : .stateNoFile) }
        guard status.st_uid == geteuid() else { throw refusal(.stateForeign) }
        guard status.st_mode & 0o077 == 0 else {
            throw isDirectory
                ? refusal(.stateOpenDirectory, command: "chmod 700 \(path)")
                : refusal(.stateOpenFile, command: "chmod 600 \(path)")
        }
        return status
    }

    /// Makes a directory and its missing parents, for their owner alone.
    private static func makeDirectories(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropFirst().lastIndex(of: "/") else {
            throw failure(.stateUnwritten, path, errno)
        }
        try makeDirectories(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(.stateUnwritten, path, errno) }
    }

    private static func failure(_ failure: FailureCode, _ path: String, _ code: Int32) -> BatonError {
        BatonError(.stateUnusable, failure, ["path": .text(path), "reason": .reason(Reason(errno: code))])
    }
}
