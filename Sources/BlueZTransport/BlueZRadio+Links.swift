// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonProtocol
internal import BatonTransport
internal import L2CAP
internal import NIOCore

/// The links beneath the channels: a device has one, whatever addresses it has had (Decisions/0034-one-link-to-a-device.md).
extension BlueZRadio {
    /// How many addresses are remembered; of more, links may stay until bluetoothd ends them.
    static let maximumLinks = 64

    /// What is told by a dial or a channel that makes use of a link.
    struct LinkUse: Hashable, Sendable {
        fileprivate let peer: BluetoothAddress
    }

    /// A channel to an address is being dialled, or was accepted: its link is in use until that is released.
    ///
    /// - Returns: The use, if it is counted. A public address is not: it never changes, so there is no second link to its device.
    func use(_ peer: BluetoothAddress) -> LinkUse? {
        guard peer.kind == .random else { return nil }
        if links[peer] == nil, links.count >= Self.maximumLinks {
            guard let unused = links.first(where: { $0.value == 0 }) else { return nil }
            links[unused.key] = nil
        }
        links[peer, default: 0] += 1
        return LinkUse(peer: peer)
    }

    /// A dial came to nothing, or a channel is closed.
    func release(_ use: LinkUse?) {
        guard let use, let uses = links[use.peer] else { return }
        links[use.peer] = uses - 1
    }

    func release(_ use: LinkUse?, afterClosing channel: any Channel) {
        guard let use else { return }
        channel.closeFuture.whenComplete { [weak self] _ in
            guard let self else { return }
            Task { await self.release(use) }
        }
    }

    /// Ends the links that are in no use, before an address is dialled: it may be the new one of a device at the end of such a link.
    func endUnusedLinks() async {
        let unused = links.filter { $0.value == 0 }.keys
        for address in unused { links[address] = nil }
        // All at once: each may take seconds, and strangers can leave many.
        await withTaskGroup(of: Void.self) { group in
            for address in unused {
                group.addTask {
                    await self.disconnect(Endpoint(transport: .l2cap, address: address.description, port: 0))
                }
            }
        }
    }
}
