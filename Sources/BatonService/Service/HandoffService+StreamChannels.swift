// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging

/// Moves streams to another channel (Streams.md, "One mechanism"). After a break the streams move
/// to the first channel that opens. While their channel has stalled, this device searches for
/// another channel ("Stalls"). Streams on the radio move to a network when a network leads to the
/// other device.
extension HandoffService {
    /// The pause between two dials for a pair without a channel.
    private static let pauseBeforeResuming = Duration.milliseconds(250)
    /// The first pause between two dials over networks for a pair on the radio. The pause doubles
    /// with each dial.
    private static let pauseBeforeMoving = Duration.seconds(1)
    /// The longest pause between two dials over networks.
    private static let longestPauseBeforeMoving = Duration.seconds(30)

    /// The longest pause between two dials for a pair whose channel has stalled.
    private static let longestPauseBeforeRelief = Duration.seconds(4)
    /// The pause before the initiator is asked for another channel again. The pause doubles each
    /// time.
    private static let pauseBeforeAsking = Duration.seconds(2)
    /// The longest pause before the initiator is asked again.
    private static let longestPauseBeforeAsking = Duration.seconds(30)

    /// Dials new channels for a pair of streams until the pair has ended. Only the initiator dials.
    func carry(_ id: String, _ role: StreamMachine.Role, _ news: AsyncStream<StreamEngine.News>) async {
        var search: Task<Void, any Error>?
        for await news in news {
            search?.cancel()
            switch news {
            case .attached(let channel):
                streams.moved(id, to: channel)
                logger.debug("streams \(id) go over \(channel.transport)")
                search = beginToMove(id, role)
            case .broken(let deadline):
                logger.debug("streams \(id) are without a channel")
                guard role != .responder else { continue }
                search = background.begin { try await self.resume(id, until: deadline) }
            case .stalled(let generation, let lost, let isPathLost):
                logger.debug("streams \(id) have stalled")
                if role != .responder { blame(id, lost, isPathLost: isPathLost) }
                search = background.begin {
                    guard role != .responder else { return try await self.askForAnother(id, generation) }
                    try await self.relieve(id)
                }
            case .recovered:
                logger.debug("streams \(id) go on")
                search = beginToMove(id, role)
            }
        }
        search?.cancel()
    }

    /// Dials until a pair of streams has a channel again. Dials again when the other device is
    /// heard at another address. If the other device does not take the channel, the engine reports
    /// another break, which starts another search.
    private func resume(_ id: String, until deadline: Duration) async throws {
        // The address where the channel broke counts as an address that did not answer.
        var (isHeededFrom, tried) = (Duration.zero, Set([streams[id]?.channel.remote.address].compactMap(\.self)))
        while let pair = streams[id], clock.uptime < deadline {
            try await Task.sleep(for: Self.pauseBeforeResuming)
            let device = pair.way.device
            let elsewhere = peers[device].nextReappearance()
            let known = endpoints(of: device)
            let ways = known + pair.way.endpoints.filter { !known.contains($0) }
            // Try new addresses before those that did not answer.
            let fresh = ways.filter { !tried.contains($0.address) }
            tried.formUnion(ways.map(\.address))
            let channel = try? await race(fresh + ways.filter { !fresh.contains($0) }, to: device) {
                [clock, isHeededFrom] _ in
                try await clock.sleep(until: min(isHeededFrom, deadline))
                try await elsewhere.value(until: deadline, clock, late: ChannelFailure.timedOut)
            }
            if let channel { return attach(channel, to: pair) }
            try Task.checkCancellation()
            // Ignore new addresses for a while. Otherwise a device that keeps replaying a beacon
            // from new addresses would end every dial before the right address is tried.
            isHeededFrom = clock.uptime + radio.traits.pauseBetweenDials * 2
        }
    }

    /// Records at which address a pair's channel has stalled, or that no address is to blame.
    ///
    /// - Parameters:
    ///   - lost: The endpoint of a channel that should have replaced the stalled one but failed;
    ///     nil if there was none. This device does not dial that endpoint for a while. If there was
    ///     none, it avoids the stalled channel's endpoint instead.
    ///   - isPathLost: Whether this device has lost its own address of the stalled channel. Then
    ///     the other device may still answer at the same endpoint, even if the stall was noticed
    ///     first.
    private func blame(_ id: String, _ lost: Endpoint?, isPathLost: Bool) {
        guard let channel = streams[id]?.channel else { return }
        if isPathLost, lost == nil {
            streams.pardon(id, channel.remote.address)
        } else {
            streams.stalled(id, at: (lost ?? channel.remote).address, uptime: clock.uptime)
        }
    }

    /// Dials until a pair whose channel has stalled has another channel. Each dial lasts as long as
    /// a channel may need to open. The first dial begins at once.
    private func relieve(_ id: String) async throws {
        var pause = Self.pauseBeforeResuming
        while let pair = streams[id] {
            let known = endpoints(of: pair.way.device)
            let ways = known + pair.way.endpoints.filter { !known.contains($0) }
            let deadline = clock.uptime + Dialler.timeout
            let channel = try? await race(
                pair.stalls.dialable(ways, at: clock.uptime), to: pair.way.device
            ) { [clock] _ in try await clock.sleep(until: deadline) }
            if let channel { return isWelcome(channel) ? pair.handle.relieve(channel) : channel.close() }
            try Task.checkCancellation()
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPauseBeforeRelief)
        }
    }

    /// Asks the initiator for another channel, as long as the present stall lasts.
    private func askForAnother(_ id: String, _ generation: UInt32) async throws {
        var pause = Self.pauseBeforeAsking
        while let pair = streams[id] {
            await tellLinks(of: pair, Reattach(token: pair.way.token, generation: generation))
            try Task.checkCancellation()
            try await clock.sleep(until: clock.uptime + pause)
            pause = min(pause * 2, Self.longestPauseBeforeAsking)
        }
    }

    /// Sends a Reattach over the links that may still work, and over a new link if all of them use
    /// the stalled transport.
    private func tellLinks(of pair: OpenStreams<SecureChannel>.Pair, _ reattach: Reattach) async {
        let (device, stalled) = (pair.way.device, pair.channel)
        let links = peers.links.to(device).filter { $0.channel.remote.address != stalled.remote.address }
        for link in links { link.tell(reattach) }
        guard !links.contains(where: { $0.traits.kind != stalled.transport }) else { return }
        try? await link(to: device, by: .besides(stalled.transport)).tell(reattach)
    }

    /// Handles a device's request for another channel for streams that this device has dialled.
    /// Ignores the request if there are no such streams.
    func link(_ link: PeerLink, wants reattach: Reattach) {
        streams.dialled(with: reattach.token, to: link.device)?.reattach(reattach.generation)
    }

    /// Begins to dial over networks for a pair on the radio. Returns nil if this side does not
    /// dial.
    private func beginToMove(_ id: String, _ role: StreamMachine.Role) -> Task<Void, any Error>? {
        guard role != .responder, streams[id]?.channel.traits.range == .radio, !transports.networks.isEmpty else {
            return nil
        }
        return background.begin { try await self.move(id) }
    }

    /// Dials over networks, at growing intervals, until a network leads to the device of a pair on
    /// the radio.
    private func move(_ id: String) async throws {
        var pause = Self.pauseBeforeMoving
        while true {
            try await clock.sleep(until: clock.uptime + pause)
            pause = min(pause * 2, Self.longestPauseBeforeMoving)
            guard let pair = streams[id] else { return }
            if let channel = try? await dialStreamsByNetwork(pair.way, except: pair.stalls) {
                attach(channel, to: pair)
            }
        }
    }

    /// How long other devices may take to close the channels of streams that this device gave up.
    /// Closing a channel at once could lose the frame that gives the reason.
    private static let farewell = Duration.seconds(2)

    /// Waits until the channels have closed, or closes them when ``farewell`` has passed. Uses the
    /// system's clock, not the service's clock.
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
