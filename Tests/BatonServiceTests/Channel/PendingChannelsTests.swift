// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import BatonService

/// ``PendingChannels``: what has proved itself, and has not said what it is for.
struct PendingChannelsTests {
    private let pending = PendingChannels()

    private func enter(_ count: Int, as peer: () -> ChannelPeer) -> [EmbeddedChannel] {
        (0..<count).map { _ in
            let channel = EmbeddedChannel()
            pending.entered(channel, as: peer())
            return channel
        }
    }

    private func isClosed(_ channel: EmbeddedChannel) -> Bool {
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        channel.embeddedEventLoop.run()
        return isClosed
    }

    @Test("Of too many of one peer's the oldest is closed, and no other's")
    func onePeer() {
        let other = enter(1) { .member(DeviceIdentity().id) }
        let peer = ChannelPeer.member(DeviceIdentity().id)
        let channels = enter(PendingChannels.maximumPerPeer + 1) { peer }
        #expect((other + channels).filter(isClosed).count == 1 && isClosed(channels[0]))
    }

    @Test("Of too many of all peers together, as made-up devices are, the oldest is closed")
    func allPeers() {
        let channels = enter(PendingChannels.maximum + 1) { .member(DeviceIdentity().id) }
        #expect(channels.filter(isClosed).count == 1 && isClosed(channels[0]))
        #expect(pending.count == PendingChannels.maximum)
    }
}
