// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// The links beneath the channels, and the number of dials and channels that use each link.
///
/// A device has only one link, whatever addresses it has had
/// (Decisions/0034-one-link-to-a-device.md).
struct LinkUses {
    /// The largest number of remembered addresses. Links to further addresses may stay until
    /// bluetoothd ends them.
    static let limit = 64
    /// How long a dial may wait for an answer on an existing link before the link is ended.
    static let silenceLimit = Duration.seconds(6)

    /// One use of a link, by a dial or a channel.
    struct Use: Hashable, Sendable {
        fileprivate let peer: BluetoothAddress
    }

    private struct Link {
        var uses = 0
        /// Whether the link is Baton's: this device dialled it, or Baton accepted a channel on it.
        var isOwn = false
        /// The uptime at which the link came up, or `nil` if bluetoothd did not report it.
        var up: Duration?
    }

    private var links: [BluetoothAddress: Link] = [:]

    /// The addresses whose links may be up.
    var peers: Set<BluetoothAddress> { Set(links.keys) }

    /// Counts a dial to an address, or a channel from it, as a use of the address's link until
    /// ``release(_:)``.
    ///
    /// - Parameter isOwn: Whether the link is known to be Baton's, because Baton accepted a channel
    ///   on it.
    /// - Returns: The use, or `nil` if there is no room to count it.
    mutating func use(_ peer: BluetoothAddress, isOwn: Bool = false) -> Use? {
        if links[peer] == nil, links.count >= Self.limit {
            guard let unused = links.first(where: { $0.value.uses == 0 }) else { return nil }
            links[unused.key] = nil
        }
        links[peer, default: Link()].uses += 1
        if isOwn { links[peer]?.isOwn = true }
        return Use(peer: peer)
    }

    /// Ends a use, after a failed dial or a closed channel.
    mutating func release(_ use: Use?) {
        guard let use, let count = links[use.peer]?.uses else { return }
        links[use.peer]?.uses = count - 1
    }

    /// Forgets the unused links to private addresses.
    ///
    /// A public address never changes, so its device cannot have a second link.
    ///
    /// - Returns: The addresses of these links, which the caller must disconnect.
    mutating func takeUnused() -> [BluetoothAddress] {
        let unused = links.filter { $0.key.kind == .random && $0.value.uses == 0 }.map(\.key)
        for peer in unused { links[peer] = nil }
        return unused
    }

    /// Records that a link that this device dialled is up.
    ///
    /// - Parameter octets: The peer's address, as `C0:FF:EE:00:00:01`.
    mutating func cameUp(octets: String, at now: Duration) {
        for peer in links.keys where peer.octets == octets {
            links[peer]?.up = now
            links[peer]?.isOwn = true
        }
    }

    /// Returns the uptime at which to end an existing link that stays silent during a dial.
    ///
    /// - Returns: `nil` if the link must stay, because it is not Baton's or carries more than this
    ///   dial.
    func endOfPatience(_ peer: BluetoothAddress, dialledAt begin: Duration) -> Duration? {
        guard let link = links[peer], link.isOwn, link.uses == 1 else { return nil }
        return max(begin, link.up ?? begin) + Self.silenceLimit
    }
}
