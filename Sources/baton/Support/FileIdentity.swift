// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which file it is, whatever name it has.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let node: ino_t

    /// A file or a named pipe; nil for what is none, such as a terminal, or is not there.
    ///
    /// - Parameters:
    ///   - path: Its name; `-` is `standard`.
    ///   - standard: Standard input, or standard output.
    init?(_ path: String, standard: Int32) {
        var status = stat()
        guard (path == "-" ? fstat(standard, &status) : stat(path, &status)) == 0,
            [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT)
        else { return nil }
        (device, node) = (status.st_dev, status.st_ino)
    }
}
