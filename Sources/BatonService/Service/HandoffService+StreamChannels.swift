// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging

/// Streams that go on over another channel: after a break over whichever comes first, and from the
/// radio to TCP as soon as that leads to the other device (Streams.md, "One mechanism").
extension HandoffService {
    /// Between two dials for a pair without a channel.
    private static let pauseBeforeResuming = Duration.milliseconds(250)
    /// Between two dials by TCP for a pair on the radio, at first; twice that the next time.
    private static let pauseBeforeMoving = Duration.seconds(1)
    /// The longest of those.
    private static let longestPauseBeforeMoving = Duration.seconds(30)

    /// Sees to a pair's channels until it has ended; only the initiator dials.
    func carry(_ id: String, _ role: StreamMachine.Role, _ news: AsyncStream<StreamEngine.News>) async {
        var search: Task<Void, any Error>?
        for await news in news {
            search?.cancel()
            switch news {
            case .attached(let channel):
                streams.moved(id, to: channel)
                logger.debug("streams \(id) go over \(channel.transport)")
                guard role != .responder, channel.transport == radio.kind, tcp != nil else { continue }
                search = background.begin { try await self.move(id) }
            case .broken(let deadline):
                logger.debug("streams \(id) are without a channel")
                guard role != .responder else { continue }
                search = background.begin { try await self.resume(id, until: deadline) }
            }
        }
        search?.cancel()
    }

    /// Dials until a pair without a channel has one; if the other device does not take it, that is
    /// news, and begins anew.
    private func resume(_ id: String, until deadline: Duration) async throws {
        while let pair = streams[id], clock.uptime < deadline {
            try await Task.sleep(for: Self.pauseBeforeResuming)
            let ways = endpoints(of: pair.way.device)
            let others = pair.way.endpoints.filter { !ways.contains($0) }
            let channel = try? await race(ways + others, to: pair.way.device) { [clock] _ in
                try await clock.sleep(until: deadline)
            }
            if let channel { return attach(channel, to: pair) }
            try Task.checkCancellation()
        }
    }

    /// Dials by TCP, ever more seldom, until it leads to the device of a pair on the radio.
    private func move(_ id: String) async throws {
        var pause = Self.pauseBeforeMoving
        while true {
            try await clock.sleep(until: clock.uptime + pause)
            pause = min(pause * 2, Self.longestPauseBeforeMoving)
            guard let pair = streams[id] else { return }
            if let channel = try? await dialStreamsByTCP(pair.way) { attach(channel, to: pair) }
        }
    }

    /// How long other devices may take to close the channels of streams that were given up here: to
    /// close them at once could lose what tells why.
    private static let farewell = Duration.seconds(2)

    /// Returns once channels have closed, which is at most ``farewell`` later, by the machine's own
    /// time.
    func closed(_ channels: [SecureChannel]) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for channel in channels { _ = await channel.failure() } }
            group.addTask { try? await Task.sleep(for: Self.farewell) }
            await group.next()
            group.cancelAll()
            for channel in channels { channel.close() }
        }
    }

    private func attach(_ channel: SecureChannel, to pair: OpenStreams<SecureChannel>.Pair) {
        guard streams[pair.id] != nil, isWelcome(channel) else { return channel.close() }
        pair.handle.attach(channel, nil)
    }
}
