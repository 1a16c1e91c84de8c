// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// A link to another device, as far as it matters which of several stays.
protocol DialledLink: AnyObject {
    var device: DeviceID { get }
    /// The transport that carries it.
    var traits: TransportTraits { get }
    /// Who dialled it.
    var dialler: DeviceID { get }
    /// Whether the other device would have given it up by now, had it asked something over it in
    /// vain.
    var isSilent: Bool { get }
}

/// The links to other devices: those that are open, and of them the one of each transport to each
/// device that requests go over (Session.md, "Duplicates").
///
/// A link over a network says nothing of where a device is; what only a device near by is asked
/// needs one by radio (Decisions/0038-near-rules-ask-over-the-radio.md).
struct PeerLinks<Link: DialledLink & Sendable>: Sendable {
    private struct Key: Hashable {
        let device: DeviceID
        let transport: TransportKind
    }

    /// What becomes of a link that has come, and of the one before it.
    enum Adoption {
        /// Requests go over it; one that was there before stays until the other device ends it.
        case taken
        /// Requests go over it, and what was there before drains.
        case replaces([Link])
        /// It drains itself.
        case surplus
    }

    /// Those that take requests, the latest last: they go over that. One before it is there for as
    /// long as the other device, which dialled both, has not said which it drains.
    private var usable: [Key: [Link]] = [:]
    private var openLinks: [ObjectIdentifier: Link] = [:]

    /// Those that requests go over.
    var all: [Link] { usable.values.compactMap(\.last) }
    /// Every one whose channel is open, those that drain among them.
    var open: [Link] { Array(openLinks.values) }

    /// The link to a device over a transport.
    subscript(device: DeviceID, transport: TransportKind) -> Link? {
        usable[Key(device: device, transport: transport)]?.last
    }

    /// The links to a device; those by radio, which is slow, come last.
    func to(_ device: DeviceID) -> [Link] {
        let found = usable.filter { $0.key.device == device }.flatMap { $0.value.reversed() }
        return found.filter { $0.traits.range == .network } + found.filter { $0.traits.range == .radio }
    }

    /// Whether there is a link to a device.
    func leads(to device: DeviceID) -> Bool { usable.keys.contains { $0.device == device } }

    /// How many open links lead to the devices that are meant.
    func openCount(where isMeant: (DeviceID) -> Bool) -> Int { openLinks.values.count { isMeant($0.device) } }

    /// Takes in a link whose channel is open.
    ///
    /// - Parameter local: This device.
    mutating func adopt(_ link: Link, at local: DeviceID) -> Adoption {
        openLinks[ObjectIdentifier(link)] = link
        let key = Key(device: link.device, transport: link.traits.kind)
        let older = usable[key] ?? []
        let survivor = older.last.flatMap { last -> DuplicateChannels.Survivor? in
            // Whoever dials anew may have found it dead: it stays until the other side drains one.
            if last.isSilent, last.dialler == local, link.dialler != local { return nil }
            return DuplicateChannels.survivor(dialledBy: last.dialler.bytes, link.dialler.bytes, local: local.bytes)
        }
        switch survivor {
        case .older: return .surplus
        case .newer:
            usable[key] = [link]
            return .replaces(older)
        case nil:
            usable[key] = older + [link]
            return .taken
        }
    }

    /// No more requests go over a link; if it was the latest, they go over the one before it.
    mutating func retire(_ link: Link) {
        let key = Key(device: link.device, transport: link.traits.kind)
        let others = (usable[key] ?? []).filter { $0 !== link }
        usable[key] = others.isEmpty ? nil : others
    }

    /// A link's channel has closed.
    mutating func ended(_ link: Link) { openLinks[ObjectIdentifier(link)] = nil }
}
