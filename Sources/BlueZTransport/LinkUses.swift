// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// The links beneath the channels, and how many dials and channels use each: a device has one link,
/// whatever addresses it has had (Decisions/0034-one-link-to-a-device.md).
struct LinkUses {
    /// How many addresses are remembered; of more, links may stay until bluetoothd ends them.
    static let limit = 64
    /// How long a dial hears nothing on a link that is up, before the link is ended.
    static let silenceLimit = Duration.seconds(6)

    /// One use of a link, by a dial or a channel.
    struct Use: Hashable, Sendable {
        fileprivate let peer: BluetoothAddress
    }

    private struct Link {
        var uses = 0
        /// Whether it is Baton's: dialled here, or a channel was accepted on it.
        var isOwn = false
        /// When it came up, where that was told.
        var up: Duration?
    }

    private var links: [BluetoothAddress: Link] = [:]

    /// The addresses whose links may be up.
    var peers: Set<BluetoothAddress> { Set(links.keys) }

    /// A channel to an address is being dialled, or was accepted: its link is in use until that is
    /// released.
    ///
    /// - Parameter isOwn: Whether the link is known for Baton's.
    /// - Returns: The use, if it is counted.
    mutating func use(_ peer: BluetoothAddress, isOwn: Bool = false) -> Use? {
        if links[peer] == nil, links.count >= Self.limit {
            guard let unused = links.first(where: { $0.value.uses == 0 }) else { return nil }
            links[unused.key] = nil
        }
        links[peer, default: Link()].uses += 1
        if isOwn { links[peer]?.isOwn = true }
        return Use(peer: peer)
    }

    /// A dial came to nothing, or a channel is closed.
    mutating func release(_ use: Use?) {
        guard let use, let count = links[use.peer]?.uses else { return }
        links[use.peer]?.uses = count - 1
    }

    /// Forgets the links to private addresses that are in no use. A public address never changes,
    /// so that there is no second link to its device.
    ///
    /// - Returns: Their addresses: these links are to be ended.
    mutating func takeUnused() -> [BluetoothAddress] {
        let unused = links.filter { $0.key.kind == .random && $0.value.uses == 0 }.map(\.key)
        for peer in unused { links[peer] = nil }
        return unused
    }

    /// A link is up that was dialled here.
    ///
    /// - Parameter octets: The peer's address, as `C0:FF:EE:00:00:01`.
    mutating func cameUp(octets: String, at now: Duration) {
        for peer in links.keys where peer.octets == octets {
            links[peer]?.up = now
            links[peer]?.isOwn = true
        }
    }

    /// When a link has been silent for too long to a dial that has begun at a time, if it is up:
    /// only one that is Baton's, and that carries nothing but this dial, is ever to be ended.
    func endOfPatience(_ peer: BluetoothAddress, dialledAt begin: Duration) -> Duration? {
        guard let link = links[peer], link.isOwn, link.uses == 1 else { return nil }
        return max(begin, link.up ?? begin) + Self.silenceLimit
    }
}
