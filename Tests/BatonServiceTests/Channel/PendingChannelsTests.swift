// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import BatonService

/// Tests ``PendingChannels``: channels whose peer has proved its identity but has not stated the
/// channel's purpose.
struct PendingChannelsTests {
    private let pending = PendingChannels()

    private func enter(_ count: Int, as peer: () -> ChannelPeer) -> [EmbeddedChannel] {
        (0..<count).map { _ in
            let channel = EmbeddedChannel()
            pending.entered(channel, as: peer(), from: "a")
            return channel
        }
    }

    private func isClosed(_ channel: EmbeddedChannel) -> Bool {
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        channel.embeddedEventLoop.run()
        return isClosed
    }

    @Test("If one peer has too many channels, its oldest one is closed, and no channel of another peer")
    func onePeer() {
        let other = enter(1) { .member(DeviceIdentity().id) }
        let peer = ChannelPeer.member(DeviceIdentity().id)
        let channels = enter(PendingChannels.maximumPerPeer + 1) { peer }
        #expect((other + channels).filter(isClosed).count == 1 && isClosed(channels[0]))
        #expect(pending.isWaiting(from: "a") && !pending.isWaiting(from: "b"))
    }

    @Test("No channel waits longer than the service")
    func serviceStops() {
        let channels = enter(3) { .member(DeviceIdentity().id) }
        pending.closeAll()
        #expect(channels.allSatisfy(isClosed) && pending.count == 0)
    }

    @Test("If all peers together have too many channels, as with made-up devices, the oldest one is closed")
    func allPeers() {
        let channels = enter(PendingChannels.maximum + 1) { .member(DeviceIdentity().id) }
        #expect(channels.filter(isClosed).count == 1 && isClosed(channels[0]))
        #expect(pending.count == PendingChannels.maximum)
    }
}
