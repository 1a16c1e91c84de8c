// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import NIOCore
import TraceModel

/// What a dialler asks of whoever has the other channels, and tells it.
protocol DiallerDelegate: AnyObject, Sendable {
    /// A device that was dialled has proved itself.
    func answered(_ channel: SecureChannel) async
    /// Whether a channel over the radio is open to somebody.
    func isOpenOnRadio(to peer: ChannelPeer) async -> Bool
    /// Addresses that a device has told, the one that is known to be its own first.
    func ownFirst(_ endpoints: [Endpoint], of peer: ChannelPeer) async -> [Endpoint]
    /// Who is dialled, for a trace.
    func traced(_ peer: ChannelPeer) async -> [TraceField]
}

/// Dials a device's endpoints, each transport's in their order, until one is secure: how often, how
/// long, and how many at once.
///
/// The device itself has told where it listens by TCP, and may have listed hosts that are not its
/// own. So those addresses are dialled by a plan that depends on their number alone: whoever
/// watches the dials learns nothing of what the hosts between answer. Where a device may be dialled
/// is `HandoffService+Dialling`'s affair.
struct Dialler: Sendable {
    /// Where a device may be dialled by now, the likeliest first.
    typealias WaysByNow = @Sendable () async -> [Endpoint]

    /// How long reaching an endpoint may take: a radio's connection waits for the next
    /// advertisement, and for its turn.
    static let timeout = Duration.seconds(20)

    let transports: Transports
    let channels: SecureChannels
    let clock: any DeviceClock
    let logger: Logger
    let trace: TraceRecorder
    let delegate: any DiallerDelegate

    /// How many endpoints are dialled of those that are learnt of only during a dial: strangers can
    /// repeat what a device advertises from any number of addresses.
    static let maximumWaysLearnt = 3

    /// How many endpoints of a device are being reached at once on one transport: whoever tells
    /// many addresses must not have this device knock at all of them together.
    static let maximumAtOnce = 5
    /// How long reaching one over a network may take if a device has more than ``maximumAtOnce``.
    /// The kernel's first packet is repeated after a second.
    static let timeoutOfMany = Duration.seconds(2)

    /// How long after the first address of a network another one is dialled, whatever has become of
    /// those before: ``maximumAtOnce`` one after the other, and the next once the time of these is
    /// over.
    ///
    /// - Parameters:
    ///   - place: Its place among the addresses, from 0.
    ///   - pause: ``TransportTraits/pauseBetweenDials``.
    static func start(ofPlace place: Int, pause: Duration) -> Duration {
        let (round, turn) = place.quotientAndRemainder(dividingBy: maximumAtOnce)
        return (timeoutOfMany + pause) * round + pause * turn
    }

    /// Dials a device's endpoints, those of all transports beside each other; the first that is
    /// secure wins.
    ///
    /// - Parameters:
    ///   - signs: Where it is noted that something came; nil where nobody asks meanwhile.
    ///   - waysByNow: What is asked whenever the next on the radio is due. A device that advertises
    ///     by another address meanwhile is dialled there before it is where it was heard earlier.
    func race(
        _ endpoints: [Endpoint], credential: PeerCredential, signs: SignsOfLife? = nil,
        waysByNow: @escaping WaysByNow = { [] }
    ) async throws -> SecureChannel {
        let signs = signs ?? SignsOfLife(clock: clock)
        let ways = transports.all.compactMap { transport in
            let endpoints = endpoints.filter { $0.transport == transport.kind }
            return endpoints.isEmpty ? nil : (transport: transport, endpoints: endpoints)
        }
        guard !ways.isEmpty else {
            throw HandoffError(
                .connectionUnavailable, "the other device is out of reach; bring it nearer and try again")
        }
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            for (transport, endpoints) in ways {
                group.addTask {
                    switch transport.traits.range {
                    case .network: try await dialByPlan(endpoints, over: transport, credential, signs)
                    case .radio: try await dialInTurn(endpoints, over: transport, credential, signs, waysByNow)
                    }
                }
            }
            return try await winner(of: &group)
        }
    }

    /// Dials a device's endpoints in the same way, unless something is over before one answers.
    ///
    /// - Parameter isOver: Returns when it is, by what has come of the device until then.
    func race(
        _ endpoints: [Endpoint], credential: PeerCredential,
        unless isOver: @escaping @Sendable (SignsOfLife) async throws -> Void
    ) async throws -> SecureChannel {
        let signs = SignsOfLife(clock: clock)
        return try await withThrowingTaskGroup(of: SecureChannel?.self) { group in
            group.addTask { try await race(endpoints, credential: credential, signs: signs) }
            group.addTask {
                try await isOver(signs)
                return nil
            }
            let first = await group.nextResult()
            group.cancelAll()
            if case .success(let winner?) = first { return winner }
            // A channel that came up while it was being given up is nobody's.
            if case .success(let late?) = await group.nextResult() { late.close() }
            try Task.checkCancellation()
            if case .failure(let error) = first { throw error }
            throw HandoffError(unreachableBy: ChannelFailure.timedOut)
        }
    }

    /// Dials an endpoint to pair with whoever answers.
    ///
    /// - Throws: `TransportError`, ``ChannelFailure/refused`` or `CancellationError`.
    func dialToPair(_ endpoint: Endpoint) async throws -> PairingWire {
        guard let transport = transports[endpoint.transport] else { throw Self.unknownTransport }
        var attempt = 1
        while true {
            do {
                return try await channels.dialToPair(endpoint, over: transport, timeout: Self.timeout)
            } catch  where attempt < transport.traits.dialAttempts {
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
                attempt += 1
            }
        }
    }

    /// Dials addresses of a network, each at its ``start(ofPlace:pause:)``, until one is secure.
    private func dialByPlan(
        _ endpoints: [Endpoint], over transport: any ChannelTransport, _ credential: PeerCredential,
        _ signs: SignsOfLife
    ) async throws -> SecureChannel {
        let endpoints = await delegate.ownFirst(endpoints, of: credential.peer)
        let pause = transport.traits.pauseBetweenDials
        let begun = clock.uptime
        let timeout = endpoints.count > Self.maximumAtOnce ? Self.timeoutOfMany : Self.timeout
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            for (place, endpoint) in endpoints.enumerated() {
                group.addTask {
                    try await clock.sleep(until: begun + Self.start(ofPlace: place, pause: pause))
                    return try await secure(endpoint, over: transport, credential, signs, timeout)
                }
            }
            return try await winner(of: &group)
        }
    }

    /// The first channel that is secure, once all other dials have been given up.
    private func winner(
        of group: inout ThrowingTaskGroup<SecureChannel, any Error>
    ) async throws -> SecureChannel {
        var winner: SecureChannel?
        var failure: (any Error)?
        while let result = await group.nextResult() {
            switch result {
            case .success(let channel):
                // A channel that came up while it was being given up is nobody's.
                if winner == nil { winner = channel } else { channel.close() }
                group.cancelAll()
            case .failure(let error): failure = failure ?? error
            }
        }
        guard let winner else { throw HandoffError(unreachableBy: Task.isCancelled ? CancellationError() : failure) }
        return winner
    }

    private enum Turn {
        case secured(SecureChannel)
        /// So many dials had begun, and then nothing was heard for the pause.
        case silence(after: Int)
    }

    /// Dials endpoints of the radio in their order, the next as soon as one has failed or nothing
    /// has been heard for the pause (RFC 8305, section 5), ``maximumAtOnce`` at once; the first
    /// that is secure wins.
    private func dialInTurn(
        _ endpoints: [Endpoint], over transport: any ChannelTransport, _ credential: PeerCredential,
        _ signs: SignsOfLife, _ waysByNow: WaysByNow
    ) async throws -> SecureChannel {
        try await withThrowingTaskGroup(of: Turn.self) { group in
            var winner: SecureChannel?
            var failure: (any Error)?
            var (dialled, failed, isNextDue) = ([Endpoint](), 0, true)
            while winner == nil {
                if isNextDue, dialled.count - failed < Self.maximumAtOnce {
                    // Before the dial: whoever sees it may count the time from there.
                    let begun = clock.uptime
                    let byNow = await waysByNow().filter { $0.transport == transport.kind }
                    if let next = next(of: endpoints, byNow, after: dialled) {
                        dialled.append(next)
                        group.addTask {
                            .secured(try await secure(next, over: transport, credential, signs, Self.timeout))
                        }
                    }
                    // Where there is none, another look is taken a while later.
                    addSilence(
                        of: transport.traits.pauseBetweenDials, since: begun, signs, after: dialled.count, to: &group)
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
            guard let winner else { throw HandoffError(unreachableBy: failure) }
            return winner
        }
    }

    /// The endpoint to dial after those before: of those that there are by now the first, as long
    /// as there may be more than were known; else the next of those.
    private func next(of known: [Endpoint], _ byNow: [Endpoint], after dialled: [Endpoint]) -> Endpoint? {
        let learnt = dialled.count { !known.contains($0) }
        return (byNow + known).first {
            !dialled.contains($0) && (known.contains($0) || learnt < Self.maximumWaysLearnt)
        }
    }

    private func secure(
        _ endpoint: Endpoint, over transport: any ChannelTransport, _ credential: PeerCredential,
        _ signs: SignsOfLife, _ timeout: Duration
    ) async throws -> SecureChannel {
        do {
            let channel = try await dial(endpoint, over: transport, credential, signs, timeout)
            await delegate.answered(channel)
            return channel
        } catch {
            logger.debug("dialling \(endpoint) failed: \(error)")
            throw error
        }
    }

    private func addSilence(
        of pause: Duration, since begun: Duration, _ signs: SignsOfLife, after number: Int,
        to group: inout ThrowingTaskGroup<Turn, any Error>
    ) {
        group.addTask {
            // Given up, it must not count as a dial that failed.
            try? await signs.silence(of: pause, since: begun)
            return .silence(after: number)
        }
    }

    /// Before an endpoint is dialled for the second time; twice that before the third.
    static let pauseBeforeRedialling = Duration.milliseconds(100)

    /// What a radio link carries can come to nothing for reasons of the moment: the peer's adapter
    /// was busy, the link was just ending, or bluetoothd's own channels have broken it
    /// (Decisions/0005-broken-links.md). So the link is dropped, and dialled anew.
    private func dial(
        _ endpoint: Endpoint, over transport: any ChannelTransport, _ credential: PeerCredential,
        _ signs: SignsOfLife, _ timeout: Duration
    ) async throws -> SecureChannel {
        let begun = clock.uptime
        var attempt = 0
        while true {
            attempt += 1
            try Task.checkCancellation()
            do {
                let fields = await delegate.traced(credential.peer) + TraceField.endpoint(endpoint)
                return try await trace.spanning(.connections, "dial", fields) {
                    try await channels.dial(
                        endpoint, over: transport, credential: credential, timeout: timeout,
                        signs: signs)
                }
            } catch
                where attempt < transport.traits.dialAttempts && clock.uptime < begun + Self.timeout
                && Self.mayPass(error)
            {
                logger.debug("dialling \(endpoint) anew after: \(error)")
                await dropLink(to: endpoint, over: transport, after: error, peer: credential.peer)
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
            }
        }
    }

    private static let unknownTransport = TransportError(.invalidArgument, "this device does not use that transport")

    /// A link that other channels live on is not dropped: it carries them. Nor is one that the
    /// other side closed: it has judged.
    private func dropLink(
        to endpoint: Endpoint, over transport: any ChannelTransport, after error: any Error, peer: ChannelPeer
    ) async {
        if case ChannelFailure.refused = error { return }
        guard let radio = transport as? any Radio, await !delegate.isOpenOnRadio(to: peer) else { return }
        await radio.disconnect(endpoint)
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case ChannelFailure.timedOut, ChannelFailure.refused: true
        case let error as TransportError: error.code == .brokenLink || error.code == .unreachable
        default: false
        }
    }
}
