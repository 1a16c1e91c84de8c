// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The links that requests go over: to each device one of each transport (Session.md, "Duplicates").
///
/// A link over TCP says nothing of where a device is; what only a device near by is asked needs the one over the radio
/// (Decisions/0038-near-rules-ask-over-the-radio.md).
struct PeerLinks {
    private struct Key: Hashable {
        let device: DeviceID
        let transport: TransportKind
    }

    private var links: [Key: PeerLink] = [:]

    /// All of them.
    var all: [PeerLink] { Array(links.values) }

    /// The link to a device over a transport.
    subscript(device: DeviceID, transport: TransportKind) -> PeerLink? {
        links[Key(device: device, transport: transport)]
    }

    /// The links to a device; that over the radio, which is slow, comes last.
    func to(_ device: DeviceID, radio: TransportKind) -> [PeerLink] {
        let found = links.filter { $0.key.device == device }
        return found.filter { $0.key.transport != radio }.map(\.value)
            + found.filter { $0.key.transport == radio }.map(\.value)
    }

    /// Whether there is a link to a device.
    func leads(to device: DeviceID) -> Bool { links.keys.contains { $0.device == device } }

    /// Takes a link in, in place of the one that there was over its transport.
    mutating func insert(_ link: PeerLink) {
        links[Key(device: link.device, transport: link.channel.transport)] = link
    }

    /// Takes a link out, unless another has its place.
    mutating func remove(_ link: PeerLink) {
        let key = Key(device: link.device, transport: link.channel.transport)
        if links[key] === link { links[key] = nil }
    }
}
