// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// The links beneath the channels, and how many dials and channels use each: a device has one link,
/// whatever addresses it has had (Decisions/0034-one-link-to-a-device.md).
///
/// Of public addresses nothing is kept: they never change, so there is no second link to their
/// device.
struct LinkUses {
    /// How many addresses are remembered; of more, links may stay until bluetoothd ends them.
    static let limit = 64

    /// One use of a link, by a dial or a channel.
    struct Use: Hashable, Sendable {
        fileprivate let peer: BluetoothAddress
    }

    private var uses: [BluetoothAddress: Int] = [:]

    /// The addresses whose links may be up.
    var peers: Set<BluetoothAddress> { Set(uses.keys) }

    /// A channel to an address is being dialled, or was accepted: its link is in use until that is
    /// released.
    ///
    /// - Returns: The use, if it is counted.
    mutating func use(_ peer: BluetoothAddress) -> Use? {
        guard peer.kind == .random else { return nil }
        if uses[peer] == nil, uses.count >= Self.limit {
            guard let unused = uses.first(where: { $0.value == 0 }) else { return nil }
            uses[unused.key] = nil
        }
        uses[peer, default: 0] += 1
        return Use(peer: peer)
    }

    /// A dial came to nothing, or a channel is closed.
    mutating func release(_ use: Use?) {
        guard let use, let count = uses[use.peer] else { return }
        uses[use.peer] = count - 1
    }

    /// Forgets the links that are in no use.
    ///
    /// - Returns: Their addresses: these links are to be ended.
    mutating func takeUnused() -> [BluetoothAddress] {
        let unused = uses.filter { $0.value == 0 }.map(\.key)
        for peer in unused { uses[peer] = nil }
        return unused
    }
}
