// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import Synchronization

/// Applies a ``KnockLimiter`` to each transport, which limits the channels that strangers hold
/// open, and their knocks.
final class ConnectionLimiter: Sendable {
    private typealias Limiter = KnockLimiter<ObjectIdentifier>

    private struct Contents {
        var limiters: [TransportKind: Limiter] = [:]
        /// The accepted channels that have not proved their identity.
        var channels: [ObjectIdentifier: (channel: any Channel, transport: TransportKind)] = [:]
    }

    private let contents = Mutex(Contents())
    private let clock: any DeviceClock
    /// The addresses of radio links with too many channels that ended before they proved their
    /// identity. Only one consumer may read this stream.
    let failedLinks: AsyncStream<String>
    private let failing: AsyncStream<String>.Continuation

    init(clock: any DeviceClock) {
        self.clock = clock
        (failedLinks, failing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Records an accepted channel. The channel must prove its identity before the limiter's
    /// deadline.
    ///
    /// - Parameters:
    ///   - remote: The peer's endpoint.
    ///   - medium: The transport that accepted the channel. If this transport is a radio, the link
    ///     to the peer's address can be dropped.
    func opened(_ channel: any Channel, from remote: Endpoint, over medium: any ChannelTransport) {
        let (id, transport) = (ObjectIdentifier(channel), medium.kind)
        contents.withLock { contents in
            contents.channels[id] = (channel, transport)
            if contents.limiters[transport] == nil {
                contents.limiters[transport] = Limiter(dropsLinks: medium.traits.range == .radio)
            }
        }
        change(transport) { $0.opened(id, from: remote.address, of: medium.network(of: remote), at: $1) }
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(KnockLimits.deadline)) { [weak self] in
            self?.change(transport) { $0.timePassed(at: $1) }
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            timer.cancel()
            guard let self, take(channel) != nil else { return }
            change(transport) { $0.closed(id, at: $1) }
        }
    }

    /// Returns whether a channel may try one more knock now.
    func mayTry(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        return contents.withLock { contents in
            guard let transport = contents.channels[id]?.transport else { return false }
            return contents.limiters[transport]?.mayTry(id, at: clock.uptime) ?? false
        }
    }

    /// Records that a channel has proved its identity.
    func proved(_ channel: any Channel) {
        guard let transport = take(channel) else { return }
        contents.withLock { $0.limiters[transport]?.proved(ObjectIdentifier(channel), at: clock.uptime) }
    }

    /// Records that a channel has sent bytes that are not a valid knock. The caller closes the
    /// channel.
    func refused(_ channel: any Channel) {
        guard let transport = take(channel) else { return }
        change(transport) { $0.refused(ObjectIdentifier(channel), at: $1) }
    }

    /// Releases a channel from the limits because it belongs to a pairing, which the user controls.
    func released(_ channel: any Channel) {
        guard let transport = take(channel) else { return }
        contents.withLock { $0.limiters[transport]?.released(ObjectIdentifier(channel)) }
    }

    /// Closes all channels that have not proved their identity.
    func closeAll() {
        for entry in contents.withLock({ Array($0.channels.values) }) { entry.channel.close(promise: nil) }
    }

    /// Forgets a channel. Returns its transport, or nil if the channel was not recorded.
    private func take(_ channel: any Channel) -> TransportKind? {
        contents.withLock { $0.channels.removeValue(forKey: ObjectIdentifier(channel))?.transport }
    }

    private func change(_ transport: TransportKind, _ body: (inout Limiter, Duration) -> [Limiter.Action]) {
        var closing: [any Channel] = []
        var dropping: [String] = []
        contents.withLock { contents in
            guard var limiter = contents.limiters[transport] else { return }
            for action in body(&limiter, clock.uptime) {
                switch action {
                case .close(let id):
                    if let entry = contents.channels.removeValue(forKey: id) { closing.append(entry.channel) }
                case .disconnect(let address): dropping.append(address)
                }
            }
            contents.limiters[transport] = limiter
        }
        for channel in closing { channel.close(promise: nil) }
        for address in dropping { failing.yield(address) }
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
