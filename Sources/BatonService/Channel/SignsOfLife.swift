// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// When something of another device was heard last, on any channel of a dial or on a link's.
///
/// Bytes count, and not frames: a poor radio link may bring a long frame for half a minute. How
/// long silence may last: ``SilenceLimits``; when a link that
/// nobody needs ends, ``Session/Limits/idle``.
final class SignsOfLife: Sendable {
    private let clock: any DeviceClock
    private let last: Mutex<Duration>

    /// Nothing was heard yet; the beginning counts as a sign.
    init(clock: any DeviceClock) {
        self.clock = clock
        last = Mutex(clock.uptime)
    }

    /// The uptime of the last sign.
    var latest: Duration { last.withLock(\.self) }

    /// Something was heard.
    func heard() { last.withLock { $0 = clock.uptime } }

    /// Returns once nothing has been heard for so long.
    ///
    /// - Parameters:
    ///   - begun: The uptime from which it matters, if that is later than the last sign.
    ///   - deadline: The uptime at which it returns at the latest; nil for none.
    /// - Throws: `CancellationError`.
    func silence(of limit: Duration, since begun: Duration, until deadline: Duration? = nil) async throws {
        while true {
            let due = min(max(latest, begun) + limit, deadline ?? .seconds(Int64.max))
            guard clock.uptime < due else { return }
            try await clock.sleep(until: due)
        }
    }
}

/// Notes what comes from the other end of a channel, below TLS and the knock.
final class SignsOfLifeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let signs: SignsOfLife

    init(_ signs: SignsOfLife) { self.signs = signs }

    func channelActive(context: ChannelHandlerContext) {
        signs.heard()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        signs.heard()
        context.fireChannelRead(data)
    }
}
