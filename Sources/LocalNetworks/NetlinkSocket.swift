// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A non-blocking socket that reads the kernel's network tables (rtnetlink(7)).
final class NetlinkSocket {
    enum Reception: Equatable {
        /// A datagram from the kernel.
        case datagram([UInt8])
        /// No datagram is waiting.
        case nothing
        /// The kernel sent more than the socket could hold, or the socket is broken.
        case lost
    }

    let descriptor: CInt
    /// The number by which the kernel addresses the socket.
    let port: UInt32

    /// The longest datagram that is read, in bytes.
    ///
    /// For a program that reads this much at a time, the kernel makes no longer datagrams
    /// (netlink_recvmsg in net/netlink/af_netlink.c).
    static let maximumLength = 32_768

    /// Opens a socket that receives changes of interfaces, addresses and routes.
    ///
    /// Returns nil and sets `errno` if the system cannot open the socket.
    init?() {
        let descriptor = socket(
            AF_NETLINK, CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), CInt(NETLINK_ROUTE))
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = Self.groups
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        port = address.nl_pid
    }

    private static let groups =
        UInt32(RTMGRP_LINK) | UInt32(RTMGRP_IPV4_IFADDR) | UInt32(RTMGRP_IPV6_IFADDR) | UInt32(RTMGRP_IPV4_ROUTE)
        | UInt32(RTMGRP_IPV6_ROUTE)

    /// Sends a request, and returns whether the kernel accepted it.
    func send(_ request: [UInt8]) -> Bool {
        Glibc.send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count
    }

    /// Starts or stops receiving changes of neighbours.
    func hearNeighbours(_ hears: Bool) {
        var group = CInt(RTNLGRP_NEIGH.rawValue)
        let option = hears ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP
        setsockopt(descriptor, SOL_NETLINK, CInt(option), &group, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Receives the next datagram from the kernel.
    ///
    /// Datagrams that do not come from the kernel are ignored. Programs with CAP_NET_ADMIN can send
    /// some.
    func receive() -> Reception {
        var buffer = [UInt8](repeating: 0, count: Self.maximumLength)
        while true {
            var sender = sockaddr_nl()
            var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
            let count = withUnsafeMutablePointer(to: &sender) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, CInt(MSG_TRUNC), $0, &length)
                }
            }
            if count < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN: return .nothing
                default: return .lost
                }
            }
            guard length == MemoryLayout<sockaddr_nl>.size, sender.nl_pid == 0 else { continue }
            return count > buffer.count ? .lost : .datagram(Array(buffer.prefix(count)))
        }
    }
}
