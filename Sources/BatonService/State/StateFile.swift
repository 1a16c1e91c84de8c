// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The one file that a device's state lives in: 0600 in a 0700 directory, replaced whole, locked by one daemon at a time.
///
/// After a crash at any moment it holds the old state or the new one. It is never remade: what cannot be read is reported, and left.
package final class StateFile: Sendable {
    private let directory: String
    private let lock: OwnedDescriptor
    private let sync: @Sendable (_ descriptor: Int32) -> Int32
    private let afterStep: @Sendable (_ step: String) -> Void

    /// The steps of a ``write(_:)``, in order, by the names that `afterStep` gets.
    package static let steps = ["unlinked", "opened", "written", "synced", "renamed"]

    private var path: String { directory + "/state" }

    /// Opens the directory, making it when it is missing, and locks it for as long as this object lives.
    ///
    /// - Parameters:
    ///   - afterStep: called after each step of a ``write(_:)``, by its name; for tests, which look what a crash there would leave.
    ///   - sync: what writes a file or a directory out, `fsync`; a test looks when it is called.
    /// - Throws: ``ServiceError/Code/stateInUse`` when another daemon has it, ``ServiceError/Code/stateUnusable`` when others than its owner may enter it.
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
        lock = OwnedDescriptor(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceError(
                .stateInUse,
                "another batond uses \(directory); stop it, or give this one a directory of its own with --state-directory"
            )
        }
    }

    /// Leaves the directory to another daemon; nothing is written any more.
    package func release() {
        guard let descriptor = lock.take() else { return }
        // A program that is just being started has a copy of the descriptor, which alone would hold the lock on.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    deinit { release() }

    /// The file's bytes; nil when there is none yet.
    ///
    /// - Throws: ``ServiceError/Code/stateUnusable`` when it is too open, too large or unreadable.
    package func read(limit: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("cannot read \(path)", errno)
        }
        defer { close(descriptor) }
        let size = try Self.size(
            ofPrivate: .typeRegular, at: path,
            otherwise: "its keys may be known; run 'chmod 600 \(path)' if you are sure they are not")
        guard size <= limit else { throw ServiceError(.stateUnusable, "\(path) is larger than a state can be") }
        return try Self.readAll(descriptor, count: size, path: path)
    }

    /// Replaces the file: a new one is written and synced beside it, takes its name, and the directory is synced.
    ///
    /// - Throws: ``ServiceError/Code/stateUnusable`` when it cannot be written, or the directory was released.
    package func write(_ bytes: [UInt8]) throws {
        guard lock.isHeld else { throw ServiceError(.stateUnusable, "the service has stopped; start batond again") }
        let temporary = path + ".new"
        unlink(temporary)
        afterStep("unlinked")
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot write \(temporary)", errno) }
        afterStep("opened")
        do {
            defer { close(descriptor) }
            try Self.writeAll(descriptor, bytes, path: temporary)
            afterStep("written")
            guard sync(descriptor) == 0 else { throw Self.failure("cannot sync \(temporary)", errno) }
            afterStep("synced")
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else { throw Self.failure("cannot replace \(path)", errno) }
        afterStep("renamed")
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Self.failure("cannot sync \(directory)", errno) }
        defer { close(parent) }
        guard sync(parent) == 0 else { throw Self.failure("cannot sync \(directory)", errno) }
    }

    private static func makePrivate(_ directory: String) throws {
        try makeDirectories(directory)
        _ = try size(ofPrivate: .typeDirectory, at: directory, otherwise: "run 'chmod 700 \(directory)'")
    }

    /// Checks that something is of a type, belongs to this user and is closed to all others. Not by `struct stat`, of which the compiler sees several.
    ///
    /// - Returns: its size in bytes.
    private static func size(ofPrivate type: FileAttributeType, at path: String, otherwise advice: String) throws -> Int
    {
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        if type == .typeDirectory, let found = facts?[.type] as? FileAttributeType, found != type {
            throw ServiceError(.stateUnusable, "\(path) is no directory; name another with --state-directory")
        }
        guard let facts, facts[.type] as? FileAttributeType == type,
            (facts[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let permissions = (facts[.posixPermissions] as? NSNumber)?.intValue, permissions & 0o077 == 0
        else {
            throw ServiceError(.stateUnusable, "\(path) must be yours and closed to all others; \(advice)")
        }
        return (facts[.size] as? NSNumber)?.intValue ?? 0
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

    private static func readAll(_ descriptor: Int32, count: Int, path: String) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw failure("cannot read \(path)", got < 0 ? errno : EIO) }
            filled += got
        }
        return bytes
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

    private static func failure(_ what: String, _ code: Int32) -> ServiceError {
        ServiceError(.stateUnusable, "\(what): \(String(cString: strerror(code)))")
    }
}
