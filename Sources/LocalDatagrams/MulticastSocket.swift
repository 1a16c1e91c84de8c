// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalNetworks

/// A non-blocking UDP socket that is bound to the multicast address of all hosts, on one interface.
///
/// Because of the address, the kernel never gives it a datagram that was sent to one host. Because
/// of the interface, the kernel never gives it a datagram from another network, so a flood there
/// does not use up this socket's limits.
struct MulticastSocket: Sendable {
    /// A datagram with the facts that the kernel gives about it.
    struct Arrival: Equatable {
        let bytes: [UInt8]
        let source: [UInt8]
        /// The remaining time to live, or the hop limit of IPv6.
        let hopLimit: CInt
    }

    enum Reception: Equatable {
        case datagram(Arrival)
        /// A datagram of another length arrived.
        case ignored
        /// No datagram is waiting.
        case nothing
    }

    /// The reason why a socket could not be opened.
    enum OpeningError: Error {
        /// The kernel does not let this program bind a socket to an interface. Before Linux 5.7,
        /// that needs privileges, and before 5.0 the option does not exist.
        case refused
        case failed

        /// Creates the reason from the error of binding a socket to an interface.
        init(binding error: CInt) { self = error == EPERM || error == ENOPROTOOPT ? .refused : .failed }
    }

    /// The maximum number of datagrams to read in a second.
    static let maximumPerSecond = 64
    /// The time to live of each datagram. A router lowers it, so a datagram with this value comes
    /// from a host of the network.
    static let hopLimit: CInt = 255
    /// The number of bytes for which the kernel keeps datagrams.
    private static let bufferSize: CInt = 16_384

    let descriptor: CInt
    private let family: AddressFamily
    private let interface: UInt32
    private let port: UInt16
    private let length: Int

    init(_ family: AddressFamily, interface: UInt32, port: UInt16, length: Int) throws(OpeningError) {
        let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(family == .ipv4 ? AF_INET : AF_INET6, type, 0)
        (self.family, self.interface, self.port, self.length) = (family, interface, port, length)
        guard descriptor >= 0 else { throw .failed }
        do throws(OpeningError) {
            try prepare()
        } catch {
            close()
            throw error
        }
    }

    func close() { Glibc.close(descriptor) }

    /// Sends a datagram to all hosts of the network.
    ///
    /// A failure is not reported. A datagram may also be lost in the network.
    func send(_ datagram: [UInt8]) {
        _ = withGroup { sendto(descriptor, datagram, datagram.count, CInt(MSG_NOSIGNAL), $0, $1) }
    }

    func receive() -> Reception {
        var bytes = [UInt8](repeating: 0, count: length + 1)
        var control = [UInt8](repeating: 0, count: 256)
        var sender = sockaddr_storage()
        let (count, controlLength) = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                withUnsafeMutablePointer(to: &sender) { sender in
                    var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                    return withUnsafeMutablePointer(to: &part) { part in
                        var message = msghdr()
                        message.msg_name = UnsafeMutableRawPointer(sender)
                        message.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
                        (message.msg_iov, message.msg_iovlen) = (part, 1)
                        (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                        let count = recvmsg(descriptor, &message, 0)
                        return (count, Int(message.msg_controllen))
                    }
                }
            }
        }
        guard count >= 0 else { return errno == EINTR ? .ignored : .nothing }
        let facts = ControlMessages(Array(control.prefix(controlLength)))
        guard count == length, let hopLimit = facts.hopLimit else { return .ignored }
        return .datagram(
            Arrival(bytes: Array(bytes.prefix(count)), source: address(of: sender), hopLimit: hopLimit))
    }

    private func address(of sender: sockaddr_storage) -> [UInt8] {
        withUnsafeBytes(of: sender) { bytes in
            // Both structures begin with the family and the port.
            let offset = family == .ipv4 ? 4 : 8
            return Array(bytes[offset..<(offset + family.addressLength)])
        }
    }

    private func prepare() throws(OpeningError) {
        // Since Linux 5.7, a process without privileges may do this once for each socket.
        guard set(SOL_SOCKET, SO_BINDTOIFINDEX, CInt(interface)) else { throw OpeningError(binding: errno) }
        guard set(SOL_SOCKET, SO_REUSEADDR, 1), set(SOL_SOCKET, SO_RCVBUF, Self.bufferSize),
            family == .ipv4 ? prepareIPv4() : prepareIPv6(), withGroup({ bind(descriptor, $0, $1) }) == 0
        else { throw .failed }
    }

    private func prepareIPv4() -> Bool {
        set(IPv4.level, IP_MULTICAST_TTL, Self.hopLimit) && set(IPv4.level, IP_MULTICAST_LOOP, 0)
            && set(IPv4.level, IP_RECVTTL, 1)
    }

    private func prepareIPv6() -> Bool {
        set(IPv6.level, IPV6_V6ONLY, 1) && set(IPv6.level, IPV6_MULTICAST_HOPS, Self.hopLimit)
            && set(IPv6.level, IPV6_MULTICAST_LOOP, 0) && set(IPv6.level, IPV6_RECVHOPLIMIT, 1)
    }

    private func set(_ level: CInt, _ option: CInt, _ value: CInt) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    }

    /// Calls a function with the address of all hosts in the network.
    private func withGroup<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0xE000_0001).bigEndian
            return Self.with(address, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { ($0[0], $0[1], $0[15]) = (0xFF, 0x02, 0x01) }
            address.sin6_scope_id = interface
            return Self.with(address, body)
        }
    }

    private static func with<Address, Result>(
        _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}

extension MulticastSocket.Arrival {
    /// Returns whether another host of a network has sent the datagram.
    ///
    /// Such a datagram did not pass a router, and its source is an address of the network.
    func isFromNeighbour(in network: LocalNetwork) -> Bool {
        hopLimit == MulticastSocket.hopLimit && network.contains(source)
            && !network.addresses.contains { $0.bytes == source }
    }
}

/// The levels of socket options.
enum IPv4 {
    static let level = CInt(IPPROTO_IP)
}

/// The levels of socket options.
enum IPv6 {
    static let level = CInt(IPPROTO_IPV6)
}
