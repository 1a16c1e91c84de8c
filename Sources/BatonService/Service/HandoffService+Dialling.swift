// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import TraceModel
import NIOCore

/// Where devices are reached, and in which order it is tried.
extension HandoffService {
    /// How long reaching an endpoint may take: a radio's connection waits for the next
    /// advertisement, and for its turn.
    static let dialTimeout = Duration.seconds(20)

    /// Where a device may answer: where a channel leads to it, where it was heard, and where it
    /// said that it listens.
    func endpoints(of device: DeviceID) -> [Endpoint] {
        let heard = sightings.book.heard(device.short).prefix(3).map {
            Endpoint(transport: radio.kind, address: $0.address, port: UInt16($0.psm))
        }
        let linked = link(to: device, port: heard.first?.port).map { [$0] } ?? []
        let seeming = peers.directory.radioEndpoints(of: device, at: clock.uptime)
        let byRadio = (linked + heard + seeming).reduce(into: [Endpoint]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return byRadio + peers.directory.toldEndpoints(of: device, at: clock.uptime)
    }

    /// Where a device may be dialled on a route.
    ///
    /// - Throws: ``HandoffError`` when it is to be near, and is not.
    func endpoints(of device: DeviceID, by route: Route) throws -> [Endpoint] {
        guard case .near(let signal) = route else { return endpoints(of: device) }
        let near = sightings.book.heard(device.short).filter { $0.signal.map { $0 >= signal } ?? false }
        guard let psm = near.first?.psm else {
            throw HandoffError(
                .connectionUnavailable, "the other device is not near any more; bring it nearer and try again")
        }
        let linked = link(to: device, port: UInt16(psm)).flatMap {
            isHeardFar(device, at: $0.address, than: signal) ? nil : $0
        }
        return near.prefix(3).reduce(into: linked.map { [$0] } ?? []) {
            let endpoint = Endpoint(transport: radio.kind, address: $1.address, port: UInt16($1.psm))
            if !$0.contains(endpoint) { $0.append(endpoint) }
        }
    }

    /// Counts a dial to a device that seems to be near.
    ///
    /// - Throws: ``HandoffError`` when it was dialled in vain a short while ago.
    func countNearDial(_ device: DeviceID) throws {
        guard peers.directory.beginNearDial(to: device, at: clock.uptime) else {
            throw HandoffError(
                .connectionUnavailable,
                "what is heard of the other device did not lead to it a short while ago; it is tried again within ten minutes"
            )
        }
    }

    /// The links that there are to a device on a route. One over the radio shows that a device is
    /// in its range, unless it is heard at that very address to be far.
    func usableLinks(to device: DeviceID, by route: Route) -> [PeerLink] {
        guard case .near(let signal) = route else { return peers.links.to(device, radio: radio.kind) }
        guard let link = peers.links[device, radio.kind],
            !isHeardFar(device, at: link.channel.remote.address, than: signal)
        else { return [] }
        return [link]
    }

    /// Whether a device is heard at an address, and more weakly than with so many dBm.
    private func isHeardFar(_ device: DeviceID, at address: String, than signal: Int) -> Bool {
        sightings.book.heard(device.short).contains { $0.address == address && $0.signal.map { $0 < signal } ?? false }
    }

    /// A device that advertises anew may have another address by now, but there cannot be a second
    /// link to it: while a channel is open, it is reached by the address of that
    /// (Decisions/0034-one-link-to-a-device.md).
    private func link(to device: DeviceID, port: UInt16?) -> Endpoint? {
        guard let remote = openOnRadio(to: .member(device))?.remote,
            let port = port ?? (remote.port == 0 ? nil : remote.port)
        else { return nil }
        return Endpoint(transport: radio.kind, address: remote.address, port: port)
    }

    /// A channel over the radio that is open to somebody.
    private func openOnRadio(to peer: ChannelPeer) -> SecureChannel? {
        radioChannels.first { $0.peer == peer }
    }

    /// All open channels over the radio.
    private var radioChannels: [SecureChannel] {
        (peers.links.open.map(\.channel) + streams.channels + peers.probes.trials).filter {
            $0.transport == radio.kind && $0.channel.isActive
        }
    }

    /// Silence after which a device's next address is dialled beside those before. By TCP, a device
    /// with many addresses must not use up the knocks that the other side tries in a second; on the
    /// radio, a second connection to a device that is about to answer would break the first
    /// (Decisions/0034-one-link-to-a-device.md).
    static func pause(on transport: TransportKind) -> Duration {
        transport == .tcp ? .milliseconds(200) : .seconds(4)
    }

    /// Where a device may be dialled by now, the likeliest first.
    typealias WaysByNow = @Sendable (isolated HandoffService) -> [Endpoint]

    /// How many endpoints are dialled of those that are learnt of only during a dial: strangers can
    /// repeat what a device advertises from any number of addresses.
    static let maximumWaysLearnt = 3

    /// Dials a device's endpoints, those of the radio and the others beside each other; the first
    /// that is secure wins.
    ///
    /// - Parameters:
    ///   - signs: Where it is noted that something came; nil where nobody asks meanwhile.
    ///   - waysByNow: What is asked whenever the next is due. A device that advertises by another
    ///     address meanwhile is dialled there before it is where it was heard earlier.
    func race(
        _ endpoints: [Endpoint], credential: PeerCredential, signs: SignsOfLife? = nil,
        waysByNow: @escaping WaysByNow = { _ in [] }
    ) async throws -> SecureChannel {
        let signs = signs ?? SignsOfLife(clock: clock)
        let onRadio = endpoints.filter { $0.transport == radio.kind }
        let others = endpoints.filter { $0.transport == tcp?.kind }
        guard !onRadio.isEmpty || !others.isEmpty else {
            throw HandoffError(
                .connectionUnavailable, "the other device is out of reach; bring it nearer and try again")
        }
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            for ways in [others, onRadio] where !ways.isEmpty {
                group.addTask { try await self.dialInTurn(ways, credential, signs, waysByNow) }
            }
            var winner: SecureChannel?
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let channel):
                    if winner == nil { winner = channel } else { channel.close() }
                    group.cancelAll()
                case .failure(let error): failure = failure ?? error
                }
            }
            guard let winner else { throw Self.unreachable(failure) }
            return winner
        }
    }

    private enum Turn {
        case secured(SecureChannel)
        /// So many dials had begun, and then nothing was heard for the pause.
        case silence(after: Int)
    }

    /// Dials endpoints of one transport in their order, the next as soon as one has failed or
    /// nothing has been heard for the transport's pause (RFC 8305, section 5); the first that is
    /// secure wins.
    private func dialInTurn(
        _ endpoints: [Endpoint], _ credential: PeerCredential, _ signs: SignsOfLife, _ waysByNow: WaysByNow
    ) async throws -> SecureChannel {
        try await withThrowingTaskGroup(of: Turn.self) { group in
            var winner: SecureChannel?
            var failure: (any Error)?
            var (dialled, failed, isNextDue) = ([Endpoint](), 0, true)
            while winner == nil {
                if isNextDue {
                    // Where there is none, another look is taken a while later.
                    var pause = Self.pause(on: radio.kind)
                    if let next = self.next(of: endpoints, waysByNow(self), after: dialled) {
                        dialled.append(next)
                        addDial(of: next, credential, signs, to: &group)
                        pause = Self.pause(on: next.transport)
                    }
                    addSilence(of: pause, signs, after: dialled.count, to: &group)
                }
                guard failed < dialled.count, let turn = await group.nextResult() else { break }
                switch turn {
                case .success(.secured(let channel)): winner = channel
                case .success(.silence(let turn)): isNextDue = turn == dialled.count
                case .failure(let error):
                    (failed, isNextDue, failure) = (failed + 1, true, failure ?? error)
                }
            }
            group.cancelAll()
            while let late = await group.nextResult() {
                // A channel that came up while it was being given up is nobody's.
                if case .success(.secured(let channel)) = late { channel.close() }
            }
            try Task.checkCancellation()
            guard let winner else { throw Self.unreachable(failure) }
            return winner
        }
    }

    /// The endpoint to dial after those before: of those that there are by now the first, as long
    /// as there may be more than were known; else the next of those.
    private func next(of known: [Endpoint], _ byNow: [Endpoint], after dialled: [Endpoint]) -> Endpoint? {
        let learnt = dialled.count { !known.contains($0) }
        let ways = byNow.filter { $0.transport == known[0].transport }
        return (ways + known).first {
            !dialled.contains($0) && (known.contains($0) || learnt < Self.maximumWaysLearnt)
        }
    }

    private func addDial(
        of endpoint: Endpoint, _ credential: PeerCredential, _ signs: SignsOfLife,
        to group: inout ThrowingTaskGroup<Turn, any Error>
    ) {
        group.addTask { [logger] in
            do {
                let channel = try await self.dial(endpoint, credential, signs)
                await self.answered(channel)
                return .secured(channel)
            } catch {
                logger.debug("dialling \(endpoint) failed: \(error)")
                throw error
            }
        }
    }

    private func addSilence(
        of pause: Duration, _ signs: SignsOfLife, after number: Int, to group: inout ThrowingTaskGroup<Turn, any Error>
    ) {
        let begun = clock.uptime
        group.addTask {
            // Given up, it must not count as a dial that failed.
            try? await signs.silence(of: pause, since: begun)
            return .silence(after: number)
        }
    }

    /// How often an endpoint of the radio is dialled in all.
    static let radioAttempts = 3
    /// Before it is dialled for the second time; twice that before the third.
    static let pauseBeforeRedialling = Duration.milliseconds(100)

    /// What a radio link carries can come to nothing for reasons of the moment: the peer's adapter
    /// was busy, the link was just ending, or bluetoothd's own channels have broken it
    /// (Decisions/0005-broken-links.md). So the link is dropped, and dialled anew.
    private func dial(
        _ endpoint: Endpoint, _ credential: PeerCredential, _ signs: SignsOfLife
    ) async throws -> SecureChannel {
        let transport: any ChannelTransport = endpoint.transport == radio.kind ? radio : tcp ?? radio
        let attempts = endpoint.transport == radio.kind ? Self.radioAttempts : 1
        let begun = clock.uptime
        var attempt = 0
        while true {
            attempt += 1
            try Task.checkCancellation()
            do {
                return try await tracing(.connections, "dial", traced(credential.peer) + TraceField.endpoint(endpoint))
                {
                    try await channels.dial(
                        endpoint, over: transport, credential: credential, timeout: Self.dialTimeout, signs: signs)
                }
            } catch  where attempt < attempts && clock.uptime < begun + Self.dialTimeout && Self.mayPass(error) {
                logger.debug("dialling \(endpoint) anew after: \(error)")
                await dropLink(to: endpoint, after: error, peer: credential.peer)
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
            }
        }
    }

    /// Too many channels on a radio link ended before they had proved themselves. A member's do
    /// when TCP wins the race: what it has proved stays.
    func linkFailed(to address: String) async {
        guard !radioChannels.contains(where: { $0.remote.address == address }) else { return }
        await radio.disconnect(Endpoint(transport: radio.kind, address: address, port: 0))
    }

    /// A link that other channels live on is not dropped: it carries them. Nor is one that the
    /// other side closed: it has judged.
    private func dropLink(to endpoint: Endpoint, after error: any Error, peer: ChannelPeer) async {
        if case ChannelFailure.refused = error { return }
        guard openOnRadio(to: peer) == nil else { return }
        await radio.disconnect(endpoint)
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case ChannelFailure.timedOut, ChannelFailure.refused: true
        case let error as TransportError: error.code == .brokenLink || error.code == .unreachable
        default: false
        }
    }

    static func unreachable(_ failure: (any Error)?) -> HandoffError {
        if let failure = failure as? HandoffError { return failure }
        if let failure = failure as? TransportError, failure.code == .resourceExhausted {
            var error = HandoffError(
                .connectionUnavailable, "no file descriptor is free here; end some streams and try again",
                cause: "\(failure)")
            error.isUntried = true
            return error
        }
        let isHangUp = if case ChannelFailure.refused? = failure { true } else { false }
        var error = HandoffError(
            .connectionUnavailable,
            isHangUp
                ? "the other device is there, and hangs up: it is busy, has just ended, or does not have this device in its circle any more; see 'baton devices' on both"
                : "the other device does not answer; bring it nearer and try again",
            cause: failure.map { "\($0)" })
        error.isHangUp = isHangUp
        error.isUnanswered =
            switch failure {
            case ChannelFailure.timedOut?: true
            case let failure as TransportError: failure.code == .unreachable
            default: false
            }
        return error
    }
}
