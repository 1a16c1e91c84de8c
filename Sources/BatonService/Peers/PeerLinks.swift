// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// A link to another device, as far as it matters which of several stays.
protocol DialledLink: AnyObject {
    var device: DeviceID { get }
    var transport: TransportKind { get }
    /// Who dialled it.
    var dialler: DeviceID { get }
}

/// The links to other devices: those that are open, and of them the one of each transport to each
/// device that requests go over (Session.md, "Duplicates").
///
/// A link over TCP says nothing of where a device is; what only a device near by is asked needs the
/// one over the radio (Decisions/0038-near-rules-ask-over-the-radio.md).
struct PeerLinks<Link: DialledLink & Sendable>: Sendable {
    private struct Key: Hashable {
        let device: DeviceID
        let transport: TransportKind
    }

    /// What becomes of a link that has come, and of the one before it.
    enum Adoption {
        /// Requests go over it; one that was there before stays until the other device ends it.
        case taken
        /// Requests go over it, and the one that was there before drains.
        case replaces(Link)
        /// It drains itself.
        case surplus
    }

    private var current: [Key: Link] = [:]
    private var openLinks: [ObjectIdentifier: Link] = [:]

    /// Those that requests go over.
    var all: [Link] { Array(current.values) }
    /// Every one whose channel is open, those that drain among them.
    var open: [Link] { Array(openLinks.values) }

    /// The link to a device over a transport.
    subscript(device: DeviceID, transport: TransportKind) -> Link? {
        current[Key(device: device, transport: transport)]
    }

    /// The links to a device; that over the radio, which is slow, comes last.
    func to(_ device: DeviceID, radio: TransportKind) -> [Link] {
        let found = current.filter { $0.key.device == device }
        return found.filter { $0.key.transport != radio }.map(\.value)
            + found.filter { $0.key.transport == radio }.map(\.value)
    }

    /// Whether there is a link to a device.
    func leads(to device: DeviceID) -> Bool { current.keys.contains { $0.device == device } }

    /// How many links to a device are open.
    func openCount(to device: DeviceID) -> Int { openLinks.values.count { $0.device == device } }

    /// Takes in a link whose channel is open.
    ///
    /// - Parameter local: This device.
    mutating func adopt(_ link: Link, at local: DeviceID) -> Adoption {
        openLinks[ObjectIdentifier(link)] = link
        let key = Key(device: link.device, transport: link.transport)
        let older = current[key]
        let survivor = older.flatMap {
            DuplicateChannels.survivor(dialledBy: $0.dialler.bytes, link.dialler.bytes, local: local.bytes)
        }
        if survivor == .older { return .surplus }
        current[key] = link
        guard survivor == .newer, let older else { return .taken }
        return .replaces(older)
    }

    /// No more requests go over a link, unless another has its place already.
    mutating func retire(_ link: Link) {
        let key = Key(device: link.device, transport: link.transport)
        if current[key] === link { current[key] = nil }
    }

    /// A link's channel has closed.
    mutating func ended(_ link: Link) { openLinks[ObjectIdentifier(link)] = nil }
}
