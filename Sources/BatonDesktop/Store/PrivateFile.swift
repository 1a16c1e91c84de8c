// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Diagnosis
import FoundationEssentials
import Glibc
import Wording

/// A file that only the user can access (mode 0600), unless a write sets another mode. Each write
/// replaces the whole file. After a crash, the file holds either the old or the new contents.
struct PrivateFile: Sendable {
    let path: String
    /// The maximum size for reading and writing, in bytes.
    let largest: Int

    /// The suffix of a file that was put aside.
    static let damagedSuffix = ".damaged"

    /// The step that failed, and the reason.
    struct Failure: ExplainedError, CustomStringConvertible {
        /// The step and the reason, for logs.
        var description: String { "\(what): \(SystemMessage.text(code, in: .english))" }
        /// The system's reason.
        var explanation: Reason { Reason(errno: code) }
        private let what: String
        private let code: Int32

        init(_ what: String, _ code: Int32) {
            self.what = what
            self.code = code
        }
    }

    /// Returns the file's contents, or nil if there is no file.
    func read() throws -> Data? {
        do {
            return Data(try FileContents.read(path, limit: largest, followsLink: false))
        } catch  where error.code == ENOENT {
            return nil
        } catch {
            throw Failure("cannot read \(path)", error.code)
        }
    }

    /// Replaces the file and syncs it: writes a new file next to the old one, and renames the new
    /// file.
    ///
    /// - Parameter mode: The permissions of the new file.
    func write(_ data: Data, mode: mode_t = 0o600) throws {
        guard data.count <= largest else { throw Failure("cannot write \(path)", EFBIG) }
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot write \(new)", errno) }
        do {
            defer { close(descriptor) }
            do throws(FileContents.Failure) {
                try FileContents.write(Array(data), to: descriptor)
            } catch {
                throw Failure("cannot write \(new)", error.code)
            }
            guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
                throw Failure("cannot sync \(new)", errno)
            }
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

    /// Removes the file if it exists, and the remains of an interrupted write.
    func remove() throws {
        unlink(path + ".new")
        guard unlink(path) == 0 || errno == ENOENT else { throw Failure("cannot remove \(path)", errno) }
    }

    /// Renames a file that cannot be used, to keep it.
    ///
    /// - Returns: The new path.
    func putAside() throws -> String {
        let aside = path + Self.damagedSuffix
        guard rename(path, aside) == 0 else { throw Failure("cannot rename \(path)", errno) }
        return aside
    }
}
