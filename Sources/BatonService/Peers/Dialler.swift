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

    let radio: any Radio
    /// Dialled beside the radio; nil for none.
    let tcp: (any ChannelTransport)?
    let channels: SecureChannels
    let clock: any DeviceClock
    let logger: Logger
    let trace: TraceRecorder
    let delegate: any DiallerDelegate

    /// Between the dials of a device's addresses. By TCP it passes whatever is heard: a device with
    /// many addresses must not use up the knocks that the other side tries in a second. On the
    /// radio it is silence that has to last so long: a second connection to a device that is about
    /// to answer would break the first (Decisions/0034-one-link-to-a-device.md).
    static func pause(on transport: TransportKind) -> Duration {
        transport == .tcp ? .milliseconds(200) : .seconds(4)
    }

    /// How many endpoints are dialled of those that are learnt of only during a dial: strangers can
    /// repeat what a device advertises from any number of addresses.
    static let maximumWaysLearnt = 3

    /// How many endpoints of a device are being reached at once on one transport: whoever tells
    /// many addresses must not have this device knock at all of them together.
    static let maximumAtOnce = 5
    /// How long reaching one by TCP may take if a device has more than ``maximumAtOnce``. The
    /// kernel's first packet is repeated after a second.
    static let timeoutOfMany = Duration.seconds(2)

    /// How long after the first address by TCP another one is dialled, whatever has become of those
    /// before: ``maximumAtOnce`` one after the other, and the next once the time of these is over.
    ///
    /// - Parameter place: Its place among the addresses, from 0.
    static func start(ofPlace place: Int) -> Duration {
        let (round, turn) = place.quotientAndRemainder(dividingBy: maximumAtOnce)
        return (timeoutOfMany + pause(on: .tcp)) * round + pause(on: .tcp) * turn
    }

    /// Dials a device's endpoints, those of the radio and the others beside each other; the first
    /// that is secure wins.
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
        let onRadio = endpoints.filter { $0.transport == radio.kind }
        let others = await delegate.ownFirst(endpoints.filter { $0.transport == tcp?.kind }, of: credential.peer)
        guard !onRadio.isEmpty || !others.isEmpty else {
            throw HandoffError(
                .connectionUnavailable, "the other device is out of reach; bring it nearer and try again")
        }
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            if !others.isEmpty { group.addTask { try await dialByPlan(others, credential, signs) } }
            if !onRadio.isEmpty { group.addTask { try await dialInTurn(onRadio, credential, signs, waysByNow) } }
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
        var attempt = 1
        while true {
            do {
                return try await channels.dialToPair(endpoint, over: transport(of: endpoint), timeout: Self.timeout)
            } catch  where attempt < attempts(at: endpoint) {
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
                attempt += 1
            }
        }
    }

    /// Dials addresses by TCP, each at its ``start(ofPlace:)``, until one is secure.
    private func dialByPlan(
        _ endpoints: [Endpoint], _ credential: PeerCredential, _ signs: SignsOfLife
    ) async throws -> SecureChannel {
        let begun = clock.uptime
        let timeout = endpoints.count > Self.maximumAtOnce ? Self.timeoutOfMany : Self.timeout
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            for (place, endpoint) in endpoints.enumerated() {
                group.addTask {
                    try await clock.sleep(until: begun + Self.start(ofPlace: place))
                    return try await secure(endpoint, credential, signs, timeout)
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
        _ endpoints: [Endpoint], _ credential: PeerCredential, _ signs: SignsOfLife, _ waysByNow: WaysByNow
    ) async throws -> SecureChannel {
        try await withThrowingTaskGroup(of: Turn.self) { group in
            var winner: SecureChannel?
            var failure: (any Error)?
            var (dialled, failed, isNextDue) = ([Endpoint](), 0, true)
            while winner == nil {
                if isNextDue, dialled.count - failed < Self.maximumAtOnce {
                    // Before the dial: whoever sees it may count the time from there.
                    let begun = clock.uptime
                    if let next = next(of: endpoints, await waysByNow(), after: dialled) {
                        dialled.append(next)
                        group.addTask { .secured(try await secure(next, credential, signs, Self.timeout)) }
                    }
                    // Where there is none, another look is taken a while later.
                    addSilence(since: begun, signs, after: dialled.count, to: &group)
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
        let ways = byNow.filter { $0.transport == radio.kind }
        return (ways + known).first {
            !dialled.contains($0) && (known.contains($0) || learnt < Self.maximumWaysLearnt)
        }
    }

    private func secure(
        _ endpoint: Endpoint, _ credential: PeerCredential, _ signs: SignsOfLife, _ timeout: Duration
    ) async throws -> SecureChannel {
        do {
            let channel = try await dial(endpoint, credential, signs, timeout)
            await delegate.answered(channel)
            return channel
        } catch {
            logger.debug("dialling \(endpoint) failed: \(error)")
            throw error
        }
    }

    private func addSilence(
        since begun: Duration, _ signs: SignsOfLife, after number: Int,
        to group: inout ThrowingTaskGroup<Turn, any Error>
    ) {
        group.addTask {
            // Given up, it must not count as a dial that failed.
            try? await signs.silence(of: Self.pause(on: radio.kind), since: begun)
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
        _ endpoint: Endpoint, _ credential: PeerCredential, _ signs: SignsOfLife, _ timeout: Duration
    ) async throws -> SecureChannel {
        let attempts = attempts(at: endpoint)
        let begun = clock.uptime
        var attempt = 0
        while true {
            attempt += 1
            try Task.checkCancellation()
            do {
                let fields = await delegate.traced(credential.peer) + TraceField.endpoint(endpoint)
                return try await trace.spanning(.connections, "dial", fields) {
                    try await channels.dial(
                        endpoint, over: transport(of: endpoint), credential: credential, timeout: timeout,
                        signs: signs)
                }
            } catch  where attempt < attempts && clock.uptime < begun + Self.timeout && Self.mayPass(error) {
                logger.debug("dialling \(endpoint) anew after: \(error)")
                await dropLink(to: endpoint, after: error, peer: credential.peer)
                try await Task.sleep(for: Self.pauseBeforeRedialling * attempt)
            }
        }
    }

    private func transport(of endpoint: Endpoint) -> any ChannelTransport {
        endpoint.transport == radio.kind ? radio : tcp ?? radio
    }

    private func attempts(at endpoint: Endpoint) -> Int { endpoint.transport == radio.kind ? Self.radioAttempts : 1 }

    /// A link that other channels live on is not dropped: it carries them. Nor is one that the
    /// other side closed: it has judged.
    private func dropLink(to endpoint: Endpoint, after error: any Error, peer: ChannelPeer) async {
        if case ChannelFailure.refused = error { return }
        guard await !delegate.isOpenOnRadio(to: peer) else { return }
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
