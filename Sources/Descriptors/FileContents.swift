// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads small files of untrusted origin, and writes files. Reading stops at a limit, and never
/// blocks.
package enum FileContents {
    /// The reason why a file could not be read.
    package struct Failure: Error, Hashable {
        /// The error number, as in errno(3).
        ///
        /// The number is `ENOENT` if there is no file, `EFBIG` if the file is larger than the
        /// limit, and `EINVAL` if it is not a regular file.
        package let code: Int32
    }

    /// Returns the contents of a regular file. A pipe or a device is refused, because reading it
    /// could block.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The largest size, in bytes.
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

    /// Returns the text of a regular file, or `nil` if the file cannot be read or is too large.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The largest size, in bytes. Files in /proc, /sys and /etc are rarely larger than
    ///     64 KiB.
    package static func text(_ path: String, limit: Int = 65_536) -> String? {
        (try? read(path, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the rest of an open file.
    ///
    /// - Parameters:
    ///   - file: The descriptor of the file, which stays open.
    ///   - limit: The largest number of bytes.
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

    /// Writes all bytes to an open file.
    ///
    /// - Parameter file: The descriptor of the file, which stays open.
    package static func write(_ bytes: [UInt8], to file: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }
}
