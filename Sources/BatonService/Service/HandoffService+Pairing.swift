// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import NIOCore

/// Pairing with another device by comparing six digits.
extension HandoffService {
    /// How long this device advertises that it pairs, and looks for another device that does.
    static let pairingSearch = Duration.seconds(120)
    /// How long the users have to compare the digits.
    static let pairingDecision = Duration.seconds(120)
    /// How long the dialled device waits, after both users have confirmed, for the channel that
    /// proves the keys. This is as long as the other device's dials may take.
    static let pairingKnock = pairingKnocks + Dialler.timeout + ChannelPatience().handshake + .seconds(15)
    /// The time after both confirmations in which the dialling device begins a new knock when a
    /// connection breaks.
    static let pairingKnocks = Dialler.timeout
    /// The pause before each further knock, because a dial may fail at once.
    static let pairingPause = Duration.seconds(1)
    /// How long the other user's confirmation may take to arrive.
    static let pairingPassage = Duration.seconds(15)
    /// How long this device waits for a second device, after it heard the first, before it dials
    /// any.
    static let pairingSettling = Duration.seconds(2)

    /// Finds another device that pairs, by radio or at a TCP address, and agrees on six digits with
    /// it.
    ///
    /// - Parameters:
    ///   - address: The IP address and TCP port of a device whose user pairs; nil to search by
    ///     radio and to accept a dial.
    ///   - anew: Whether this device was removed from its circle, and comes back to it as a new
    ///     device. This has no effect without a circle.
    ///   - client: The program that pairs. The pairing ends when the program leaves.
    /// - Returns: The pairing's id, for ``confirmPairing(_:same:client:)`` and
    ///   ``paired(_:client:)``, and the digits.
    public func pair(
        address: (host: String, port: UInt16)?, anew: Bool = false, client: ClientID
    ) async throws -> (pairing: String, digits: String) {
        try await pair(endpoint: address.map { try pairingEndpoint($0.host, $0.port) }, anew: anew, client: client)
    }

    func pair(
        endpoint: Endpoint?, anew: Bool = false, client: ClientID
    ) async throws -> (pairing: String, digits: String) {
        let advert = PairingAdvert(nonce: [UInt8](randomBytes: 8), psm: await reachability.listeners.psm())
        if let refusal = pairings.refusal(store.state, at: clock.uptime) { throw refusal }
        try store.checkRoom()
        let (digits, shown) = AsyncThrowingStream.makeStream(of: String.self, throwing: (any Error).self)
        let times = PairingTimes(
            search: Self.pairingSearch, settling: Self.pairingSettling, comparison: Self.pairingDecision,
            passage: Self.pairingPassage, knock: Self.pairingKnock, knocks: Self.pairingKnocks,
            pause: Self.pairingPause)
        let run = PairingRun(
            client: client, returning: anew && circle != nil ? DeviceIdentity() : nil,
            procedure: PairingProcedure(
                dialling: endpoint, advert: advert, over: radio.kind, times: times,
                redials: radio.traits.dialAttempts - 1),
            shown: shown)
        pairings.begin(run)
        begin(run)
        return try await withTaskCancellationHandler { [id = run.id] in
            for try await digits in digits { return (id, digits) }
            throw CancellationError()
        } onCancel: { [id = run.id] in
            Task { await self.happened(.abandoned, toPairing: id) }
        }
    }

    /// Listens for devices that pair while this device is in no circle, for as long as a client
    /// wants it.
    public func lookForPairing(_ isWanted: Bool, client: ClientID) {
        pairings.look(isWanted, for: client)
    }

    /// Records the user's answer to the question whether both devices show the same digits.
    public func confirmPairing(_ id: String, same: Bool, client: ClientID) throws {
        happened(.decided(same), toPairing: try pairings.pairing(id, of: client).id)
    }

    /// Waits until both devices are in one circle, after a pairing by digits or by a code.
    public func paired(_ id: String, client: ClientID) async throws {
        if let code = pairings.code, code.id == id, code.client == client { return try await paired(code) }
        let run = try pairings.pairing(id, of: client)
        // The call is cancelled when its program leaves the bus. Abandon the pairing then.
        try await withTaskCancellationHandler {
            try await run.task?.value
        } onCancel: {
            Task { await self.happened(.abandoned, toPairing: id) }
        }
    }

    private func pairingEndpoint(_ host: String, _ port: UInt16) throws -> Endpoint {
        guard let network = transports.networks.first else {
            throw BatonError(.connectionUnavailable, .tcpOff)
        }
        let endpoint = Endpoint(transport: network.kind, address: host, port: port)
        guard network.isDialable(endpoint) else {
            throw BatonError(.invalidArgument, .addressUnusable)
        }
        return endpoint
    }

    // MARK: - The run of a pairing

    private func begin(_ run: PairingRun) {
        if run.procedure.advert != nil { openDoor(toPairing: run.id) }
        run.task = Task { try await self.run(run) }
        happened(.began, toPairing: run.id)
        // Handle devices that began to pair earlier.
        for (address, advert) in sightings.pairing.all { pairingHeard(advert, at: address) }
    }

    private func openDoor(toPairing id: String) {
        channels.pairingDoor.set { [background] wire in background.begin { await self.pairingOpened(wire, id) } }
    }

    /// Passes an event to a pairing's procedure. The run performs the resulting actions in order.
    func happened(_ event: PairingRun.Procedure.Event, toPairing id: String) {
        guard let run = pairings.runInProgress, run.id == id else {
            if case .opened(let wire, _) = event { wire.close() }
            return
        }
        for action in run.procedure.handle(event, at: clock.uptime) { run.step.yield(.act(action)) }
        schedule(.pairing, at: run.procedure.deadline)
    }

    func pairingHeard(_ advert: PairingAdvert, at address: String) {
        guard let run = pairings.run, sightings.pairing.counts(advert) else { return }
        happened(.heard(advert, address: address), toPairing: run.id)
    }

    private func pairingOpened(_ wire: PairingWire, _ id: String) async {
        guard let run = pairings.run, run.id == id else { return wire.close() }
        let machine = PairingMachine(
            role: wire.isDialled ? .initiator : .responder, transport: wire.transport,
            identity: run.returning ?? identity, name: store.state.name,
            circle: run.returning == nil ? circle?.id : nil, random: [UInt8](randomBytes: 32))
        happened(.opened(wire, machine), toPairing: id)
        for await bytes in wire.incoming { happened(.received(bytes, wire), toPairing: id) }
        happened(.closed(wire, isBroken: wire.isBroken), toPairing: id)
    }

    func pairingSecured(_ channel: SecureChannel) {
        guard let run = pairings.runInProgress, run.procedure.awaitsProof else { return channel.close() }
        happened(.proved, toPairing: run.id)
        run.step.yield(.complete(channel))
    }

    /// Runs a pairing to its end. Afterwards, only the circle remains of the pairing.
    private func run(_ run: PairingRun) async throws {
        defer { run.forget() }
        do {
            try await performSteps(of: run)
            await close(run)
            pairings.succeeded()
            await airing { adoptCircle() }
        } catch {
            pairings.failed(run, error, at: clock.uptime)
            run.procedure.channel?.close()
            await close(run)
            let failure = BatonError(pairingError: error)
            logger.notice("pairing failed: \(error)")
            run.shown.finish(throwing: failure)
            throw failure
        }
        run.procedure.channel?.close()
    }

    private func close(_ run: PairingRun) async {
        channels.pairingDoor.set(nil)
        keyring.setPairing(nil)
        if let new = run.returning { endReturn(of: new) }
        if let peer = run.procedure.met { sightings.spokenTo(peer) }
        run.isOver = true
        listeningChanged()
        schedule(.pairing, at: nil)
        run.step.finish()
        await advertise(nil)
        // Close the channels of steps that were not performed.
        for await step in run.steps {
            switch step {
            case .act(.close(let wire)): wire.close()
            case .complete(let channel): channel.close()
            default: break
            }
        }
    }

    private func performSteps(of run: PairingRun) async throws {
        for await step in run.steps {
            switch step {
            case .act(let action): try await perform(action, for: run)
            case .complete(let channel):
                guard let agreement = run.agreement else { return channel.close() }
                do {
                    return try await complete(agreement, on: channel)
                } catch let failure as ChannelFailure where failure.isBreak {
                    happened(.proofBroke, toPairing: run.id)
                }
            }
        }
    }

    private func perform(_ action: PairingRun.Procedure.Action, for run: PairingRun) async throws {
        switch action {
        case .advertise(let isWanted): await advertise(isWanted ? run.procedure.advert : nil)
        case .dial(let endpoint): dialToPair(endpoint, run.id)
        case .dialAnew(let endpoint):
            await radio.disconnect(endpoint)
            dialToPair(endpoint, run.id)
        case .reopen: openDoor(toPairing: run.id)
        case .send(let bytes, let wire): wire.send(bytes)
        case .close(let wire): wire.close()
        case .show(let digits):
            run.hasDigits = true
            run.shown.yield(digits)
            statusChange.note()
        case .agree(let peer, let key, let endpoint): try agreed(with: peer, key, dialling: endpoint, run)
        case .knockAgain(let endpoint):
            guard let credential = run.agreement?.credential else { return }
            knock(at: endpoint, with: credential, run.id)
        case .fail(let failure): throw failure
        }
    }

    private func advertise(_ advert: PairingAdvert?) async {
        if advertising.pair(advert?.payload), !lifecycle.isStopping {
            await airing { air() }
        }
    }

    private func dialToPair(_ endpoint: Endpoint, _ id: String) {
        background.begin { [dialler] in
            do {
                await self.pairingOpened(try await dialler.dialToPair(endpoint), id)
            } catch  where !Task.isCancelled {
                await self.happened(.dialFailed("\(error)"), toPairing: id)
            }
        }
    }

    /// Acts on the confirmation of both users. One device adds the other to its circle, after a
    /// knock with the shared key and with certificates that both know.
    private func agreed(
        with peer: PairedDevice, _ key: PairwiseKey, dialling endpoint: Endpoint?, _ run: PairingRun
    ) throws {
        if let new = run.returning {
            // A removed device can only come back through a member of its own circle.
            guard let circle else { throw PairingFailure.noCircleToReturnTo(isOwnLost: true) }
            guard let theirs = peer.circle else { throw PairingFailure.noCircleToReturnTo(isOwnLost: false) }
            guard theirs == circle.id else { throw PairingFailure.bothInCircles(areSame: false) }
            try beginReturn(as: new)
        }
        let host: Circle?
        switch (run.returning == nil ? circle : nil, peer.circle) {
        case (nil, nil): host = endpoint == nil ? nil : try Circle(foundedBy: identity, name: store.state.name)
        case (let own?, nil): host = own
        case (nil, _?): host = nil
        case (let own?, let theirs?):
            // When the devices introduced themselves, at most one of them was in a circle. So this
            // device has joined a circle since then.
            throw PairingFailure.bothInCircles(areSame: own.id == theirs)
        }
        let joins = peer.circle ?? CircleID(founder: peer.member.keys.id)
        let credential = PeerCredential.paired(peer.member.keys, key: key)
        run.agreement = PairingRun.Agreement(member: peer.member, credential: credential, host: host, joins: joins)
        statusChange.note()
        // The pairing needs no other device, so ignore any further device that dials.
        channels.pairingDoor.set(nil)
        guard let endpoint else { return keyring.setPairing(credential) }
        knock(at: endpoint, with: credential, run.id)
    }

    private func knock(at endpoint: Endpoint, with credential: PeerCredential, _ id: String) {
        background.begin {
            do {
                await self.pairingSecured(try await self.dialler.race([endpoint], credential: credential))
            } catch {
                await self.happened(.dialFailed("\(error)"), toPairing: id)
            }
        }
    }

    /// Adds the other device to this device's circle, or joins the other's. The devices proceed as
    /// with an invitation, but both sides know which keys to expect.
    private func complete(_ agreement: PairingRun.Agreement, on channel: SecureChannel) async throws {
        defer { channel.close() }
        guard let host = agreement.host else { return try await join(agreement.joins, on: channel) }
        let room = try store.reserveRoom()
        defer { room.discard() }
        let request = try await Joining(channel: channel, clock: clock).request(to: host.id)
        guard request.member.keys == agreement.member.keys else {
            throw ChannelFailure.violation("the request to join names other keys than were agreed on")
        }
        try await admit(request, to: host, into: room, on: channel)
    }
}
