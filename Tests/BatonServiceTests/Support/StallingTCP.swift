// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// A TCP transport that reports all its channels as stalled when the test tells it to.
final class StallingTCP: TransportProxy {
    let proxied: any ChannelTransport
    private let isStalled = Mutex(false)

    init(_ tcp: any ChannelTransport) { proxied = tcp }

    /// Makes all channels seem to have stalled.
    func stall() { isStalled.withLock { $0 = true } }

    func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?> {
        let isStalled = isStalled.withLock(\.self)
        return channel.eventLoop.makeSucceededFuture(
            ChannelDelivery(isWaiting: isStalled, silence: .seconds(1), patience: .zero))
    }
}
