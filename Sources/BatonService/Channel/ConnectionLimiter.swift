// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import Synchronization

/// Carries out a ``KnockLimiter`` for each transport: what strangers hold open, and how often they
/// knock, is bounded.
final class ConnectionLimiter: Sendable {
    private typealias Limiter = KnockLimiter<ObjectIdentifier>

    private struct Contents {
        var limiters: [TransportKind: Limiter] = [:]
        /// What has not proved itself.
        var channels: [ObjectIdentifier: (channel: any Channel, transport: TransportKind)] = [:]
    }

    private let contents = Mutex(Contents())
    private let clock: any DeviceClock
    /// The addresses whose radio link carries too many channels that end unproved; for one
    /// consumer.
    let failedLinks: AsyncStream<String>
    private let failing: AsyncStream<String>.Continuation

    init(clock: any DeviceClock) {
        self.clock = clock
        (failedLinks, failing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// A channel was accepted; it has the limiter's time to prove itself.
    ///
    /// - Parameters:
    ///   - remote: The peer.
    ///   - medium: The transport that accepted the channel. The link to the peer's address can be
    ///     dropped if it is a radio.
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

    /// Whether one more knock may be tried now.
    func mayTry(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        return contents.withLock { contents in
            guard let transport = contents.channels[id]?.transport else { return false }
            return contents.limiters[transport]?.mayTry(id, at: clock.uptime) ?? false
        }
    }

    /// A channel has proved itself.
    func proved(_ channel: any Channel) {
        guard let transport = take(channel) else { return }
        contents.withLock { $0.limiters[transport]?.proved(ObjectIdentifier(channel), at: clock.uptime) }
    }

    /// A channel pairs, which its user bounds.
    func released(_ channel: any Channel) {
        guard let transport = take(channel) else { return }
        contents.withLock { $0.limiters[transport]?.released(ObjectIdentifier(channel)) }
    }

    /// Closes whatever has not proved itself.
    func closeAll() {
        for entry in contents.withLock({ Array($0.channels.values) }) { entry.channel.close(promise: nil) }
    }

    /// Forgets a channel; its transport, if it was there.
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
