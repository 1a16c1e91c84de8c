// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore
import Synchronization

/// Limits the accepted channels that have proved their identity but not stated their purpose.
/// Without a limit, somebody with a member's stolen keys could use up another device's file
/// descriptors and memory.
final class PendingChannels: Sendable {
    /// The limit for one peer: as many channels as one device may have in use.
    static let maximumPerPeer = StreamLimits.maximumPerDevice + HandoffService.maximumLinksPerDevice

    /// The limit for all peers together. Honest peers state their purpose at once, and never have
    /// so many waiting channels.
    static let maximum = 128

    /// The channels that wait, the oldest first.
    private let waiting = Mutex<[(peer: ChannelPeer, address: String, channel: any Channel)]>([])

    /// The number of waiting channels, for tests.
    var count: Int { waiting.withLock(\.count) }

    /// Adds a channel that has proved its identity. If the peer, or all peers together, have too
    /// many such channels, closes the oldest of them.
    ///
    /// - Parameter address: The address that the channel comes from.
    func entered(_ channel: any Channel, as peer: ChannelPeer, from address: String) {
        channel.closeFuture.whenComplete { [weak self] _ in self?.left(channel) }
        let oldest = waiting.withLock { waiting -> (any Channel)? in
            waiting.append((peer, address, channel))
            let own = waiting.indices.filter { waiting[$0].peer == peer }
            if own.count > Self.maximumPerPeer { return waiting.remove(at: own[0]).channel }
            return waiting.count > Self.maximum ? waiting.removeFirst().channel : nil
        }
        oldest?.close(promise: nil)
    }

    /// Closes all waiting channels, because the service stops.
    func closeAll() {
        for channel in waiting.withLock({ $0.map(\.channel) }) { channel.close(promise: nil) }
    }

    /// Returns whether a channel from an address waits.
    func isWaiting(from address: String) -> Bool { waiting.withLock { $0.contains { $0.address == address } } }

    /// Removes a channel that has stated its purpose, or has ended.
    func left(_ channel: any Channel) {
        waiting.withLock { $0.removeAll { $0.channel === channel } }
    }
}
