// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore
import Synchronization

/// Accepted channels that have proved whose they are and not said what they are for: how many one
/// peer holds open is bounded, so that a member's stolen keys do not use up the descriptors and the
/// memory of another device.
final class PendingChannels: Sendable {
    /// As many as one device may have in use at all.
    static let maximumPerPeer = StreamLimits.maximumPerDevice + HandoffService.maximumLinksPerDevice

    /// The oldest first.
    private let waiting = Mutex<[ChannelPeer: [any Channel]]>([:])

    /// How many channels wait; for tests.
    var count: Int { waiting.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// A channel has proved itself; of too many of a peer's the oldest is closed.
    func entered(_ channel: any Channel, as peer: ChannelPeer) {
        channel.closeFuture.whenComplete { [weak self] _ in self?.left(channel, peer) }
        let oldest = waiting.withLock { waiting -> (any Channel)? in
            waiting[peer, default: []].append(channel)
            guard let channels = waiting[peer], channels.count > Self.maximumPerPeer else { return nil }
            return waiting[peer]?.removeFirst()
        }
        oldest?.close(promise: nil)
    }

    /// A channel has said what it is for, or has ended.
    func left(_ channel: any Channel, _ peer: ChannelPeer) {
        waiting.withLock { waiting in
            waiting[peer]?.removeAll { $0 === channel }
            if waiting[peer]?.isEmpty == true { waiting[peer] = nil }
        }
    }
}
