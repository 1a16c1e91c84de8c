// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address of a Unix socket. Source: unix(7).
package struct UnixAddress: Hashable, Sendable {
    /// The largest size of a path, in bytes: the size of `sun_path` without its final zero.
    package static let maximumPathLength = 107

    /// The significant first bytes of `sun_path`.
    private let name: [UInt8]

    /// Creates the address of a path. Returns `nil` if the path is empty or too long.
    package init?(path: String) {
        guard (1...Self.maximumPathLength).contains(path.utf8.count) else { return nil }
        name = Array(path.utf8) + [0]
    }

    /// Creates the address of an abstract name, given without its leading zero. Returns `nil` if
    /// the name is empty or too long.
    package init?(abstract name: some StringProtocol) {
        guard (1...Self.maximumPathLength).contains(name.utf8.count) else { return nil }
        self.name = [0] + Array(name.utf8)
    }

    /// Binds a socket to this address.
    ///
    /// - Returns: 0, or -1 and `errno`, like bind(2).
    package func bind(_ socket: Int32) -> Int32 { withPointer { Glibc.bind(socket, $0, $1) } }

    /// Connects a socket to this address.
    ///
    /// - Returns: 0, or -1 and `errno`, like connect(2).
    package func connect(_ socket: Int32) -> Int32 { withPointer { Glibc.connect(socket, $0, $1) } }

    /// Sends a datagram to this address.
    ///
    /// - Returns: The number of bytes sent, or -1 and `errno`, like sendto(2).
    package func send(_ bytes: [UInt8], from socket: Int32, flags: Int32) -> Int {
        withPointer { sendto(socket, bytes, bytes.count, flags, $0, $1) }
    }

    private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sa_family_t>.size + name.count))
            }
        }
    }
}
