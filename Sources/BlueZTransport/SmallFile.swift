// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A file of text that is small, as those of /proc, /sys and /etc are.
enum SmallFile {
    /// How much of a file is read, in bytes; of a larger one nothing is.
    static let limit = 65_536

    /// What is in a regular file; `nil` when it cannot be read, or is too large. Blocks for no
    /// other side: what is no regular file is not read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { bytes in
                let room = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                return Glibc.read(descriptor, room.baseAddress, room.count)
            }
            guard read >= 0 else { return nil }
            if read == 0 { return String(decoding: bytes[..<count], as: UTF8.self) }
            count += read
        }
        return nil
    }
}
