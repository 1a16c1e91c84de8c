// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DBus
import Diagnosis
import Glibc

/// The program at the other end of a connected UNIX stream socket. The kernel recorded it when the
/// socket was connected.
///
/// Source: unix(7), `SO_PEERCRED`; Linux 6.5, `SO_PEERPIDFD`.
struct SocketEnd {
    let credentials: DBusCredentials
    private let socket: OwnedDescriptor

    /// Reads the credentials from the kernel.
    ///
    /// - Throws: ``BatonError/Code/invalidArgument`` if the descriptor is not such a socket.
    init(_ socket: OwnedDescriptor) throws {
        guard let credentials = socket.withDescriptor({ $0.flatMap(Self.credentials) }) else {
            throw BatonError(argument: "socket", .argumentNoSocket)
        }
        (self.socket, self.credentials) = (socket, credentials)
    }

    var isOpen: Bool {
        socket.withDescriptor { descriptor in
            guard let descriptor else { return false }
            var event = pollfd(fd: descriptor, events: 0, revents: 0)
            return poll(&event, 1, 0) == 0
        }
    }

    private static func credentials(_ socket: Int32) -> DBusCredentials? {
        guard option(SO_DOMAIN, of: socket, Int32(0)) == AF_UNIX,
            option(SO_TYPE, of: socket, Int32(0)) == Int32(SOCK_STREAM.rawValue),
            option(SO_ACCEPTCONN, of: socket, Int32(0)) == 0,
            let peer = option(SO_PEERCRED, of: socket, PeerCredentials()), peer.user != PeerCredentials.nobody
        else { return nil }
        if let descriptor = option(peerProcessDescriptor, of: socket, Int32(-1)) {
            return DBusCredentials(userID: peer.user, processDescriptor: OwnedDescriptor(adopting: descriptor))
        }
        // If the kernel knows the option but gives no descriptor, the process has ended.
        let hasNumber = errno == ENOPROTOOPT && peer.process > 0
        return DBusCredentials(userID: peer.user, processID: hasNumber ? UInt32(peer.process) : nil)
    }

    /// The layout of `struct ucred`, which Glibc declares only with `_GNU_SOURCE`.
    private struct PeerCredentials {
        /// The user id of a socket that is not connected.
        static let nobody = UInt32.max

        /// The process number, or 0 for a process of another namespace.
        var process: Int32 = 0
        var user = nobody
        var group = nobody
    }

    /// The value of `SO_PEERPIDFD`, which the headers of Debian 12 lack. The value is the same on
    /// all architectures that Baton is built for.
    private static let peerProcessDescriptor: Int32 = 77

    /// Returns the value of a socket's option, or nil if there is no value of this size.
    private static func option<Value: BitwiseCopyable>(_ name: Int32, of socket: Int32, _ initial: Value) -> Value? {
        var (value, size) = (initial, socklen_t(MemoryLayout<Value>.size))
        guard getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0, size == MemoryLayout<Value>.size else {
            return nil
        }
        return value
    }
}
