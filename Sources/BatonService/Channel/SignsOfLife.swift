// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// A record of when another device was last heard, on any channel of a dial or on a link's channel.
///
/// Bytes count, not frames, because a poor radio link may take half a minute for a long frame.
/// ``SilenceLimits`` says how long silence may last. ``Session/Limits/idle`` says when an unneeded
/// link ends.
final class SignsOfLife: Sendable {
    private let clock: any DeviceClock
    private let last: Mutex<Duration>

    /// Creates a record that begins with a sign of life now.
    init(clock: any DeviceClock) {
        self.clock = clock
        last = Mutex(clock.uptime)
    }

    /// The uptime of the last sign.
    var latest: Duration { last.withLock(\.self) }

    /// Records a sign of life.
    func heard() { last.withLock { $0 = clock.uptime } }

    /// Waits until nothing has been heard for as long as `limit`.
    ///
    /// - Parameters:
    ///   - limit: The length of the silence.
    ///   - begun: The uptime from which silence counts, if that is later than the last sign.
    ///   - deadline: The uptime at which this returns at the latest; nil for none.
    /// - Throws: `CancellationError`.
    func silence(of limit: Duration, since begun: Duration, until deadline: Duration? = nil) async throws {
        while true {
            let due = min(max(latest, begun) + limit, deadline ?? .seconds(Int64.max))
            guard clock.uptime < due else { return }
            try await clock.sleep(until: due)
        }
    }
}

/// A handler that records bytes from the other end of a channel as signs of life, below TLS and the
/// knock.
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
