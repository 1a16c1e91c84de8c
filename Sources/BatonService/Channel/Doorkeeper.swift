// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import Synchronization

/// Carries out a ``KnockLimiter`` for all listeners of the daemon: what strangers hold open, and how often they knock, is bounded.
final class Doorkeeper: Sendable {
    private struct Contents {
        var limiter = KnockLimiter<ObjectIdentifier>()
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let contents = Mutex(Contents())
    private let clock: any DeviceClock
    private let disconnect: @Sendable (_ address: String) -> Void

    /// - Parameter disconnect: drops the radio link to an address.
    init(clock: any DeviceClock, disconnect: @escaping @Sendable (_ address: String) -> Void) {
        self.clock = clock
        self.disconnect = disconnect
    }

    /// A channel was accepted; it has the limiter's time to prove itself.
    ///
    /// - Parameter radioAddress: the peer's address, when its link can be dropped.
    func opened(_ channel: any Channel, radioAddress: String?) {
        change { contents, now in
            contents.channels[ObjectIdentifier(channel)] = channel
            return contents.limiter.opened(ObjectIdentifier(channel), address: radioAddress, at: now)
        }
        channel.eventLoop.scheduleTask(in: TimeAmount(KnockLimits.deadline)) { [weak self] in
            self?.change { contents, now in contents.limiter.timePassed(at: now) }
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(channel) }
    }

    /// Whether one more knock may be tried now.
    func mayTry(_ channel: any Channel) -> Bool {
        contents.withLock { $0.limiter.mayTry(ObjectIdentifier(channel), at: clock.uptime) }
    }

    /// A channel has proved itself.
    func proved(_ channel: any Channel) {
        contents.withLock { contents in
            contents.limiter.proved(ObjectIdentifier(channel))
            contents.channels[ObjectIdentifier(channel)] = nil
        }
    }

    /// Closes whatever has not proved itself.
    func closeAll() {
        for channel in contents.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    private func closed(_ channel: any Channel) {
        change { contents, now in
            guard contents.channels.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return [] }
            return contents.limiter.closed(ObjectIdentifier(channel), at: now)
        }
    }

    private func change(
        _ body: (inout Contents, Duration) -> [KnockLimiter<ObjectIdentifier>.Action]
    ) {
        var closing: [any Channel] = []
        var dropping: [String] = []
        contents.withLock { contents in
            for action in body(&contents, clock.uptime) {
                switch action {
                case .close(let id):
                    if let channel = contents.channels.removeValue(forKey: id) { closing.append(channel) }
                case .disconnect(let address): dropping.append(address)
                }
            }
        }
        for channel in closing { channel.close(promise: nil) }
        for address in dropping { disconnect(address) }
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
