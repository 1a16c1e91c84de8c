// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import NIOCore
import TraceModel

/// The owner of all channels, which a dialler asks and notifies.
protocol DiallerDelegate: AnyObject, Sendable {
    /// Handles a channel to a dialled device that has proved its identity.
    func answered(_ channel: SecureChannel) async
    /// Returns whether a channel to a peer is open over the radio.
    func isOpenOnRadio(to peer: ChannelPeer) async -> Bool
    /// Returns whether this device, rather than the peer, waits after both have dialled each other
    /// without success.
    func yields(to peer: ChannelPeer) async -> Bool
    /// Returns a device's endpoints, beginning with those at the address where it last proved its
    /// identity.
    func ownFirst(_ endpoints: [Endpoint], of peer: ChannelPeer) async -> [Endpoint]
    /// Returns trace fields that name the dialled peer.
    func traced(_ peer: ChannelPeer) async -> [TraceField]
}

/// Dials a device's endpoints until one channel is secure. The dialler decides how often and how
/// long to dial, and how many endpoints at once. `HandoffService+Dialling` decides which endpoints
/// to dial.
///
/// A device sends the list of its TCP addresses, and a hostile device may list other hosts. So the
/// plan for these addresses depends only on their number. Otherwise an observer of the dials could
/// learn how those hosts answer.
struct Dialler: Sendable {
    /// Returns the endpoints at which the device can be dialled now, the likeliest first.
    typealias WaysByNow = @Sendable () async -> [Endpoint]

    /// How long the dial of one endpoint may take. A connection over the radio waits for the peer's
    /// next advertisement, and for other connection attempts of the adapter.
    static let timeout = Duration.seconds(20)

    let transports: Transports
    let channels: SecureChannels
    let clock: any DeviceClock
    let logger: Logger
    let trace: TraceRecorder
    let delegate: any DiallerDelegate

    /// The maximum number of endpoints that are dialled although they become known only during the
    /// race. A stranger can repeat a device's advertisement from any number of addresses.
    static let maximumWaysLearnt = 3

    /// The maximum number of a device's endpoints that are dialled at once on one transport. A
    /// device that sends many addresses must not make this device dial all of them together.
    static let maximumAtOnce = 5
    /// How long the dial of one of many network addresses may take.
    ///
    /// This limit applies if a device has more than ``maximumAtOnce`` addresses. The kernel repeats
    /// a connection's first packet after one second, so one lost packet does no harm.
    static let timeoutOfMany = Duration.seconds(2)

    /// Returns when to dial a network address, counted from the dial of the first address.
    ///
    /// The result does not depend on the outcome of earlier dials. The first ``maximumAtOnce``
    /// addresses are dialled with a pause between two dials. The next addresses follow after these
    /// dials have timed out.
    ///
    /// - Parameters:
    ///   - place: The address's index, from 0.
    ///   - pause: ``TransportTraits/pauseBetweenDials``.
    static func start(ofPlace place: Int, pause: Duration) -> Duration {
        let (round, turn) = place.quotientAndRemainder(dividingBy: maximumAtOnce)
        return (timeoutOfMany + pause) * round + pause * turn
    }

    /// Dials a device on all transports in parallel, and returns the first secure channel.
    ///
    /// - Parameters:
    ///   - signs: The record of when the device was last heard; nil if the caller does not need it.
    ///   - waysByNow: Asked before each further dial on the radio. If the device has begun to
    ///     advertise at another address, that address is dialled before the older addresses.
    func race(
        _ endpoints: [Endpoint], credential: PeerCredential, signs: SignsOfLife? = nil,
        waysByNow: @escaping WaysByNow = { [] }
    ) async throws -> SecureChannel {
        let signs = signs ?? SignsOfLife(clock: clock)
        let ways = transports.all.compactMap { transport in
            let endpoints = endpoints.filter { $0.transport == transport.kind }
            return endpoints.isEmpty ? nil : (transport: transport, endpoints: endpoints)
        }
        guard !ways.isEmpty else { throw HandoffError(.connectionUnavailable, .outOfReach) }
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

    /// Dials a device on all transports in parallel, but gives up when a given event comes first.
    ///
    /// - Parameter isOver: Called with the device's signs of life. Returns when that event happens.
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
            // No other code closes a channel that became secure during the cancellation.
            if case .success(let late?) = await group.nextResult() { late.close() }
            try Task.checkCancellation()
            if case .failure(let error) = first { throw error }
            throw HandoffError(unreachableBy: ChannelFailure.timedOut)
        }
    }

    /// Dials an endpoint to pair with the device that answers.
    ///
    /// - Throws: `TransportError`, ``ChannelFailure/refused`` or `CancellationError`.
    func dialToPair(_ endpoint: Endpoint) async throws -> PairingWire {
        guard let transport = transports[endpoint.transport] else { throw Self.unknownTransport }
        var attempt = 1
        while true {
            do {
                return try await channels.dialToPair(endpoint, over: transport, timeout: Self.timeout)
            } catch  where attempt < Self.attempts(over: transport, after: error) {
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
                attempt += 1
            }
        }
    }

    /// Dials network addresses, each at its ``start(ofPlace:pause:)``, until one channel is secure.
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

    /// Returns the first secure channel, after all other dials have ended.
    private func winner(
        of group: inout ThrowingTaskGroup<SecureChannel, any Error>
    ) async throws -> SecureChannel {
        var winner: SecureChannel?
        var failure: (any Error)?
        while let result = await group.nextResult() {
            switch result {
            case .success(let channel):
                // No other code closes a later channel that became secure during the cancellation.
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
        /// The device was silent for the whole pause, after this number of dials had begun.
        case silence(after: Int)
    }

    /// Dials radio endpoints in their order, and returns the first secure channel.
    ///
    /// The next dial begins when one has failed or when nothing has been heard for the pause (RFC
    /// 8305, section 5). At most ``maximumAtOnce`` dials are under way.
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
                    // Take the time before the dial, because an observer of the dial may count the
                    // pause from there.
                    let begun = clock.uptime
                    let byNow = await waysByNow().filter { $0.transport == transport.kind }
                    if let next = next(of: endpoints, byNow, after: dialled) {
                        dialled.append(next)
                        group.addTask {
                            .secured(try await secure(next, over: transport, credential, signs, Self.timeout))
                        }
                    }
                    // If there is no endpoint left to dial, look for new endpoints after the pause.
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
                // No other code closes a channel that became secure during the cancellation.
                if case .success(.secured(let channel)) = late { channel.close() }
            }
            guard !Task.isCancelled else {
                winner?.close()
                throw CancellationError()
            }
            guard let winner else { throw HandoffError(unreachableBy: failure) }
            return winner
        }
    }

    /// Returns the next endpoint to dial: the likeliest one that is available now, or else the next
    /// known endpoint; nil if none is left.
    ///
    /// New endpoints are dialled only up to ``maximumWaysLearnt``.
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
            // A cancelled wait must not count as a failed dial.
            try? await signs.silence(of: pause, since: begun)
            return .silence(after: number)
        }
    }

    /// The pause before an endpoint is dialled for the second time. The pause before the third dial
    /// is twice as long.
    static let pauseBeforeRedialling = Duration.milliseconds(100)
    /// The shortest time of a dial that fails because both devices dial each other over the radio.
    ///
    /// Linux advertises nothing while it dials, so neither adapter hears the other. It gives up
    /// after 4 s (`HCI_LE_AUTOCONN_TIMEOUT` in the kernel's `hci_core.h`).
    static let timeOfMutualDials = Duration.seconds(3)
    /// How much longer one of the two devices waits then, so that the other one can dial it.
    static let pauseToBeDialled = Duration.seconds(2)

    /// The greatest number of dials of an endpoint if each loses a packet, as among many
    /// advertisers. With their pauses they take longer than a link's supervision timeout of 4 s,
    /// because the peer may have the lost link for so long.
    static let attemptsWithLosses = 12

    private static func attempts(over transport: any ChannelTransport, after error: any Error) -> Int {
        let isLoss = (error as? TransportError)?.code == .missed
        return isLoss ? attemptsWithLosses : transport.traits.dialAttempts
    }

    /// Returns the pause before an endpoint is dialled again.
    ///
    /// - Parameters:
    ///   - attempt: The number of dials that have failed, from 1.
    ///   - error: The error of the last dial.
    ///   - time: How long the last dial took.
    ///   - yields: Whether this device waits if both devices have dialled each other.
    static func pause(
        afterDial attempt: Int, failedWith error: any Error, after time: Duration, yields: Bool
    ) -> Duration {
        let isMutual = error is TransportError && time >= timeOfMutualDials
        return pauseBeforeRedialling * attempt + (isMutual && yields ? pauseToBeDialled : .zero)
    }

    /// Dials one endpoint, and redials it after temporary failures.
    ///
    /// A dial over a radio link can fail for a temporary reason. For example, the peer's adapter
    /// was busy, or bluetoothd's own channels have broken the link
    /// (Decisions/0005-broken-links.md). The link is dropped before the next dial, because a broken
    /// link would fail again.
    private func dial(
        _ endpoint: Endpoint, over transport: any ChannelTransport, _ credential: PeerCredential,
        _ signs: SignsOfLife, _ timeout: Duration
    ) async throws -> SecureChannel {
        let begun = clock.uptime
        var attempt = 0
        while true {
            attempt += 1
            try Task.checkCancellation()
            let attemptBegun = clock.uptime
            do {
                let fields = await delegate.traced(credential.peer) + TraceField.endpoint(endpoint)
                return try await trace.spanning(.connections, "dial", fields) {
                    try await channels.dial(
                        endpoint, over: transport, credential: credential, timeout: timeout,
                        signs: signs)
                }
            } catch
                where attempt < Self.attempts(over: transport, after: error) && clock.uptime < begun + Self.timeout
                && Self.mayPass(error)
            {
                logger.debug("dialling \(endpoint) anew after: \(error)")
                let took = clock.uptime - attemptBegun
                await dropLink(to: endpoint, over: transport, after: error, peer: credential.peer)
                let yields = await delegate.yields(to: credential.peer)
                try await Task.sleep(
                    for: Self.pause(afterDial: attempt, failedWith: error, after: took, yields: yields))
            }
        }
    }

    private static let unknownTransport = TransportError(.invalidArgument, "this device does not use that transport")

    /// Drops the link to an endpoint after a failed dial. Keeps the link if other channels may
    /// still use it, or if the peer has refused the channel on purpose.
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
        case let error as TransportError: [.brokenLink, .unreachable, .missed].contains(error.code)
        default: false
        }
    }
}
