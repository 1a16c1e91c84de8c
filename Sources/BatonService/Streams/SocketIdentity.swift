// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Glibc

/// The identity of a socket, which is the same in every process that has a file descriptor of the
/// socket.
///
/// No two open sockets have the same identity.
struct SocketIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Creates the identity of a descriptor's socket, or nil if it was closed or is not a socket.
    init?(_ descriptor: OwnedDescriptor) {
        var status = stat()
        let isSocket = descriptor.withDescriptor { raw in
            guard let raw, fstat(raw, &status) == 0 else { return false }
            return status.st_mode & S_IFMT == S_IFSOCK
        }
        guard isSocket else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
