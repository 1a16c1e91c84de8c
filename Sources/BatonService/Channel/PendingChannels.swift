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

    /// As many as all peers may have together. Honest ones say at once what they are for, and are
    /// never so many.
    static let maximum = 128

    /// The oldest first.
    private let waiting = Mutex<[(peer: ChannelPeer, channel: any Channel)]>([])

    /// How many channels wait; for tests.
    var count: Int { waiting.withLock(\.count) }

    /// A channel has proved itself; of too many of a peer's, or of all, the oldest is closed.
    func entered(_ channel: any Channel, as peer: ChannelPeer) {
        channel.closeFuture.whenComplete { [weak self] _ in self?.left(channel) }
        let oldest = waiting.withLock { waiting -> (any Channel)? in
            waiting.append((peer, channel))
            let own = waiting.indices.filter { waiting[$0].peer == peer }
            if own.count > Self.maximumPerPeer { return waiting.remove(at: own[0]).channel }
            return waiting.count > Self.maximum ? waiting.removeFirst().channel : nil
        }
        oldest?.close(promise: nil)
    }

    /// A channel has said what it is for, or has ended.
    func left(_ channel: any Channel) {
        waiting.withLock { $0.removeAll { $0.channel === channel } }
    }
}
