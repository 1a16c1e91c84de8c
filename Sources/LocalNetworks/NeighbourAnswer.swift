// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// Whether a host of a local network has answered this machine at the link layer.
///
/// Before this machine sends a packet to a host, the kernel asks for the host's link-layer address
/// (RFC 826, RFC 4861). A host answers this question even if its firewall drops all packets. So
/// silence shows that nothing passes between the two, as at an access point that keeps its clients
/// apart. Some access points answer in place of their clients, so an answer proves nothing.
public enum NeighbourAnswer: Hashable, Sendable {
    /// The kernel knows the host's link-layer address, and the host or the network has confirmed
    /// it.
    case answers
    /// The kernel has asked for the host's link-layer address, and got no answer.
    case silent
    /// The kernel has not asked lately, waits for a confirmation, or cannot be asked.
    case unknown

    /// Asks the kernel about a host, without sending anything into the network.
    ///
    /// - Parameters:
    ///   - address: The 4 or 16 bytes of the host's IP address.
    ///   - interface: The kernel's number for the interface that leads to the host.
    public init(of address: [UInt8], on interface: UInt32) {
        self = .unknown
        guard let socket = NetlinkSocket() else { return }
        defer { close(socket.descriptor) }
        let host = NetworkHost(index: interface, address: address)
        guard socket.send(host.request(sequence: Self.sequence)) else { return }
        // The kernel answers before `send` returns.
        while case .datagram(let datagram) = socket.receive() {
            let answer = (NetlinkMessage.messages(in: datagram) ?? []).first {
                $0.port == socket.port && $0.sequence == Self.sequence
            }
            guard let answer else { continue }
            self = NeighbourAnswer(answer)
            return
        }
    }

    /// Reads the kernel's answer. An error means that the kernel has no entry for the host.
    init(_ message: NetlinkMessage) {
        guard message.type == Int(RTM_NEWNEIGH), let state = message.body.load(ndmsg.self).map({ Int($0.ndm_state) })
        else {
            self = .unknown
            return
        }
        if state & Self.confirmed != 0 {
            self = .answers
        } else {
            self = state & Self.asked != 0 ? .silent : .unknown
        }
    }

    private static let sequence: UInt32 = 1
    private static let confirmed = Int(NUD_REACHABLE) | Int(NUD_PERMANENT)
    private static let asked = Int(NUD_INCOMPLETE) | Int(NUD_FAILED)
}
