// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The properties of a link that decide which of several links to a device stays.
protocol DialledLink: AnyObject {
    var device: DeviceID { get }
    /// The transport that carries the link.
    var traits: TransportTraits { get }
    /// The device that dialled the link.
    var dialler: DeviceID { get }
    /// Whether the link has been silent for so long that a device that waits for an answer closes
    /// it.
    var isSilent: Bool { get }
}

/// The open links to other devices, and the choice of those that requests use.
///
/// Requests use one link for each device and transport (Session.md, "Duplicates"). A link over a
/// network does not show that a device is near. Requests to nearby devices need a link over the
/// radio (Decisions/0038-near-rules-ask-over-the-radio.md).
struct PeerLinks<Link: DialledLink & Sendable>: Sendable {
    private struct Key: Hashable {
        let device: DeviceID
        let transport: TransportKind
    }

    /// The fate of a new link and of the links before it.
    enum Adoption {
        /// The new link takes requests. An earlier link stays until the other device ends it.
        case taken
        /// The new link takes requests, and the earlier links drain.
        case replaces([Link])
        /// The new link drains.
        case surplus
    }

    /// The links that take requests, the latest last.
    ///
    /// Requests use the last link. An earlier link stays until the other device, which dialled
    /// both, says which of them it drains.
    private var usable: [Key: [Link]] = [:]
    private var openLinks: [ObjectIdentifier: Link] = [:]

    /// The links that requests use, one for each device and transport.
    var all: [Link] { usable.values.compactMap(\.last) }
    /// All links whose channels are open, including those that drain.
    var open: [Link] { Array(openLinks.values) }

    /// The link to a device over a transport that requests use, or nil if there is none.
    subscript(device: DeviceID, transport: TransportKind) -> Link? {
        usable[Key(device: device, transport: transport)]?.last
    }

    /// Returns the links to a device. Links over the radio come last, because they are slow.
    func to(_ device: DeviceID) -> [Link] {
        let found = usable.filter { $0.key.device == device }.flatMap { $0.value.reversed() }
        return found.filter { $0.traits.range == .network } + found.filter { $0.traits.range == .radio }
    }

    /// Returns whether a link to a device takes requests.
    func leads(to device: DeviceID) -> Bool { usable.keys.contains { $0.device == device } }

    /// Returns the number of open links to the devices that match.
    func openCount(where isMeant: (DeviceID) -> Bool) -> Int { openLinks.values.count { isMeant($0.device) } }

    /// Adds a link whose channel is open.
    ///
    /// - Parameter local: This device.
    mutating func adopt(_ link: Link, at local: DeviceID) -> Adoption {
        openLinks[ObjectIdentifier(link)] = link
        let key = Key(device: link.device, transport: link.traits.kind)
        let older = usable[key] ?? []
        let survivor = older.last.flatMap { last -> DuplicateChannels.Survivor? in
            // The other device may have dialled again because it found the older link dead. Keep
            // both links until that device drains one of them.
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

    /// Removes a link from those that take requests. If this was the latest link, requests use the
    /// link before it.
    ///
    /// - Returns: The link before this one, if requests use that link from now on; nil otherwise.
    @discardableResult
    mutating func retire(_ link: Link) -> Link? {
        let key = Key(device: link.device, transport: link.traits.kind)
        let links = usable[key] ?? []
        let others = links.filter { $0 !== link }
        usable[key] = others.isEmpty ? nil : others
        return links.last === link ? others.last : nil
    }

    /// Removes a link whose channel has closed.
    mutating func ended(_ link: Link) { openLinks[ObjectIdentifier(link)] = nil }
}
