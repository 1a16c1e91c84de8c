// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonProtocol
internal import BatonTransport
internal import L2CAP
internal import NIOCore

/// The links beneath the channels: a device has one, whatever addresses it has had (Decisions/0034-one-link-to-a-device.md).
extension BlueZRadio {
    /// How many addresses are remembered; of more, links may stay until bluetoothd ends them.
    private static let maximumLinks = 64

    /// A channel to an address is being dialled, or was accepted: its link is in use until ``release(_:)``.
    ///
    /// A public address never changes, so a second link to its device is never made.
    func use(_ peer: BluetoothAddress) {
        guard peer.kind == .random, links[peer] != nil || links.count < Self.maximumLinks else { return }
        links[peer, default: 0] += 1
    }

    /// A dial came to nothing, or a channel is closed.
    func release(_ peer: BluetoothAddress) {
        links[peer].map { links[peer] = max(0, $0 - 1) }
    }

    func release(_ peer: BluetoothAddress, afterClosing channel: any Channel) {
        channel.closeFuture.whenComplete { [weak self] _ in
            guard let self else { return }
            Task { await self.release(peer) }
        }
    }

    /// Ends the links that are in no use, before an address is dialled: it may be the new one of a device at the end of such a link.
    func endUnusedLinks() async {
        for (address, uses) in links where uses == 0 {
            links[address] = nil
            await disconnect(Endpoint(transport: .l2cap, address: address.description, port: 0))
        }
    }
}
