// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A file that is the user's alone: 0600, replaced whole, so that after a crash it holds the old contents or the new.
struct PrivateFile: Sendable {
    let path: String
    /// The largest that is read and written, in bytes.
    let largest: Int

    /// What a step could not do, and why.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        init(_ what: String, _ code: Int32) { description = "\(what): \(String(cString: strerror(code)))" }
    }

    /// The file's contents; nil when there is none.
    func read() throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure("cannot read \(path)", errno)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data = try handle.read(upToCount: largest + 1) ?? Data()
        guard data.count <= largest else { throw Failure("cannot read \(path)", EFBIG) }
        return data
    }

    /// Replaces the file: a new one is written and synced beside it, takes its name, and the directory is synced.
    func write(_ data: Data) throws {
        guard data.count <= largest else { throw Failure("cannot write \(path)", EFBIG) }
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot write \(new)", errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
            guard rename(new, path) == 0 else { throw Failure("cannot replace \(path)", errno) }
        } catch {
            unlink(new)
            throw error
        }
        let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Puts a file that cannot be used aside, under another name.
    ///
    /// - Returns: the name.
    func putAside() throws -> String {
        let aside = path + ".damaged"
        guard rename(path, aside) == 0 else { throw Failure("cannot rename \(path)", errno) }
        return aside
    }
}
