// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What small files hold, whoever wrote them: nothing is read beyond a limit, and nothing holds the
/// reader up.
package enum FileContents {
    /// Why there is none.
    package struct Failure: Error, Hashable {
        /// As in errno(3): `ENOENT` without a file, `EFBIG` beyond the limit, `EINVAL` for what is
        /// not a regular file.
        package let code: Int32
    }

    /// The contents of a regular file; a pipe or a device would hold its reader up.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - limit: How many bytes it may have.
    ///   - followsLink: Whether the path may be a symbolic link.
    package static func read(_ path: String, limit: Int, followsLink: Bool = true) throws(Failure) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
        let file = open(path, flags)
        guard file >= 0 else { throw Failure(code: errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Failure(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(code: EINVAL) }
        guard status.st_size <= limit else { throw Failure(code: EFBIG) }
        return try read(file, limit: limit)
    }

    /// The text of a regular file; `nil` when it cannot be read, or is too large.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - limit: How many bytes it may have; what /proc, /sys and /etc hold has seldom more than
    ///     64 KiB.
    package static func text(_ path: String, limit: Int = 65_536) -> String? {
        (try? read(path, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The rest of an open file.
    ///
    /// - Parameters:
    ///   - file: Its descriptor, which stays open.
    ///   - limit: How many bytes there may be.
    package static func read(_ file: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw Failure(code: EFBIG) }
        }
    }
}
