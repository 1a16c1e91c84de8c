// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of a file, independent of its name.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let node: ino_t

    /// Identifies a file or a pipe. Returns `nil` if the path does not exist, or for anything else,
    /// such as a terminal.
    ///
    /// - Parameters:
    ///   - path: The path, or `-` for the descriptor `standard`.
    ///   - standard: The descriptor of standard input or standard output.
    init?(_ path: String, standard: Int32) {
        var status = stat()
        guard (path == "-" ? fstat(standard, &status) : stat(path, &status)) == 0,
            [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT)
        else { return nil }
        (device, node) = (status.st_dev, status.st_ino)
    }
}
