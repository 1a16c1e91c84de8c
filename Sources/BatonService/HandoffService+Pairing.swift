// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import NIOCore

/// Pairing with another device by comparing six digits.
extension HandoffService {
    /// How long another device that pairs is looked for, and advertised to.
    static let pairingSearch = Duration.seconds(120)
    /// How long the users have to compare the digits.
    static let pairingDecision = Duration.seconds(120)
    /// How long, once both users have said yes, the one that was dialled waits for the channel that proves the keys: as long as dialling may take.
    static let pairingKnock = dialTimeout * 2 + SecureChannels.handshakeTimeout + .seconds(15)
    /// How long the other side's yes may be on its way.
    static let pairingPassage = Duration.seconds(15)
    /// How long after the first other device one more may show up before any is dialled.
    static let pairingSettling = Duration.seconds(2)

    /// Looks for another device that pairs, by radio, or dials one by TCP, and agrees on six digits with it.
    ///
    /// - Parameters:
    ///   - address: an IP address and a TCP port of a device whose user pairs; nil to search by radio, and to be dialled.
    ///   - anew: whether this device was removed from its circle, and is to come back to it as a new one; of no meaning without a circle.
    ///   - client: the program that pairs; when it leaves, the pairing ends.
    /// - Returns: the pairing, for ``confirmPairing(_:same:client:)`` and ``paired(_:client:)``, and the digits.
    public func pair(
        address: (host: String, port: UInt16)?, anew: Bool = false, client: ClientID
    ) async throws -> (pairing: String, digits: String) {
        try await pair(endpoint: address.map { try pairingEndpoint($0.host, $0.port) }, anew: anew, client: client)
    }

    func pair(
        endpoint: Endpoint?, anew: Bool = false, client: ClientID
    ) async throws -> (pairing: String, digits: String) {
        if let pairingRefusal { throw pairingRefusal }
        let (digits, shown) = AsyncThrowingStream.makeStream(of: String.self, throwing: (any Error).self)
        let run = PairingRun(
            client: client, returning: anew && circle != nil ? DeviceIdentity() : nil,
            deadline: clock.uptime + Self.pairingSearch, shown: shown)
        pairing = run
        if endpoint == nil { await openPairing(run) }
        run.task = Task { try await self.run(run, dialling: endpoint) }
        let input = run.input
        return try await withTaskCancellationHandler {
            for try await digits in digits { return (run.id, digits) }
            throw CancellationError()
        } onCancel: {
            input.yield(.abandoned)
        }
    }

    /// Why no pairing by digits can begin now.
    var pairingRefusal: ServiceError? {
        if store.state.isCircleUnproved { return ServiceError(.noCircle, Self.unprovedCircle) }
        if let until = pairingLimiter.refusedUntil(at: clock.uptime) {
            let minutes = Int(((until - clock.uptime) / .seconds(60)).rounded(.up))
            return ServiceError(
                .limitReached,
                "pairing by digits failed, and may be tried again in \(minutes) \(minutes == 1 ? "minute" : "minutes"); "
                    + "'baton pair --qr' works until then")
        }
        guard pairing?.isOver ?? true else {
            return ServiceError(.limitReached, "this device is pairing already; end that first")
        }
        return nil
    }

    /// The user says whether both devices show the same digits.
    public func confirmPairing(_ id: String, same: Bool, client: ClientID) throws {
        try pairingRun(id, client).input.yield(.decided(same))
    }

    /// Returns once both devices are in one circle; the pairing may be one by digits or by a code.
    public func paired(_ id: String, client: ClientID) async throws {
        if let code, code.id == id, code.client == client { return try await paired(code) }
        let run = try pairingRun(id, client)
        // A program that has left is heard of by the end of its calls.
        try await withTaskCancellationHandler {
            try await run.task?.value
        } onCancel: { [input = run.input] in
            input.yield(.abandoned)
        }
    }

    private func pairingRun(_ id: String, _ client: ClientID) throws -> PairingRun {
        guard let pairing, pairing.id == id, pairing.client == client else {
            throw ServiceError(.notFound, "there is no such pairing of this program")
        }
        return pairing
    }

    private func pairingEndpoint(_ host: String, _ port: UInt16) throws -> Endpoint {
        guard let tcp else {
            throw ServiceError(.connectionUnavailable, "TCP is off; pair by radio, without an address")
        }
        return Endpoint(transport: tcp.kind, address: host, port: port)
    }

    // MARK: - Being found

    private func openPairing(_ run: PairingRun) async {
        let psm = await listeners.psm()
        run.advert = PairingAdvert(nonce: [UInt8](randomBytes: 8), psm: psm)
        channels.pairingDoor.set { [input = run.input] wire in
            guard case .enqueued = input.yield(.wire(wire)) else { return wire.close() }
        }
        run.isOnAir = psm != 0
        if run.isOnAir {
            slot.pair(run.advert?.payload)
            await air()
        }
        // Who began before.
        for (address, advert) in pairingSightings.all { pairingHeard(advert, at: address) }
    }

    private func closePairing(_ run: PairingRun) async {
        channels.pairingDoor.set(nil)
        keyring.setPairing(nil)
        if let new = run.returning { endReturn(of: new) }
        forgetPeer(of: run)
        run.isOver = true
        run.input.finish()
        await setOnAir(run, false)
        // Channels that nobody has looked at are nobody's.
        for await input in run.inputs {
            switch input {
            case .wire(let wire): wire.close()
            case .secured(let channel): channel.close()
            default: break
            }
        }
    }

    /// The pairing advertisement is there to be found and dialled by, and at no other time.
    private func setOnAir(_ run: PairingRun, _ isWanted: Bool) async {
        // What is advertised once must end with the search, however long the rest takes.
        let isOnAir = isWanted && clock.uptime < run.deadline && (run.advert?.psm ?? 0) != 0
        guard isOnAir != run.isOnAir else { return }
        run.isOnAir = isOnAir
        slot.pair(isOnAir ? run.advert?.payload : nil)
        if !isStopping { await air() }
    }

    func pairingSecured(_ channel: SecureChannel) {
        guard let run = pairing, !run.isOver, case .enqueued = run.input.yield(.secured(channel)) else {
            return channel.close()
        }
    }

    // MARK: - The run

    /// Runs a pairing to its end; whatever that is, nothing of it is left but the circle.
    private func run(_ run: PairingRun, dialling endpoint: Endpoint?) async throws {
        let timer = Task { [clock, input = run.input, deadline = run.deadline] in
            try? await clock.sleep(until: deadline)
            if !Task.isCancelled { input.yield(.late) }
        }
        defer {
            timer.cancel()
            run.forget()
        }
        do {
            if let endpoint { dialToPair(endpoint, run) }
            try await exchange(run)
            await closePairing(run)
            pairingLimiter.succeeded()
            await adoptCircle()
        } catch {
            let isAttempt = (error as? PairingFailure)?.isAttempt ?? true
            if isAttempt, run.machine?.isSpent == true { pairingLimiter.failed(at: clock.uptime) }
            run.wire?.close()
            run.secured?.close()
            await closePairing(run)
            let failure = Self.described(error)
            logger.notice("pairing failed: \(failure)")
            run.shown.finish(throwing: failure)
            throw failure
        }
        run.wire?.close()
    }

    private func dialToPair(_ endpoint: Endpoint, _ run: PairingRun) {
        run.endpoint = endpoint
        let transport: any ChannelTransport = endpoint.transport == radio.kind ? radio : tcp ?? radio
        Task { [channels, input = run.input] in
            var attempts = endpoint.transport == radio.kind ? Self.radioAttempts : 1
            while true {
                do {
                    attempts -= 1
                    let wire = try await channels.dialToPair(endpoint, over: transport, timeout: Self.dialTimeout)
                    if case .enqueued = input.yield(.wire(wire)) { return }
                    return wire.close()
                } catch {
                    guard attempts == 0 else { continue }
                    input.yield(.unreachable("\(error)"))
                    return
                }
            }
        }
    }

    /// A device that was too slow to take the first bytes hangs up before it has said anything: nothing is lost, and the link is made anew.
    private func dialAnew(_ run: PairingRun) async -> Bool {
        guard let endpoint = run.endpoint, endpoint.transport == radio.kind, !run.isAnswered, run.dialsAnew > 0 else {
            return false
        }
        run.dialsAnew -= 1
        run.wire = nil
        run.machine = nil
        await radio.disconnect(endpoint)
        dialToPair(endpoint, run)
        return true
    }

    /// Who dials in is there. Who was heard may not be any more, for a radio may tell half a minute late that a device pairs no longer: it may be the
    /// very one, whose user went on with this one's address.
    private func giveUpSearchDial(_ run: PairingRun) {
        guard run.advert != nil, run.endpoint != nil, !run.isAnswered else { return }
        run.endpoint = nil
        run.wire?.close()
        run.wire = nil
        run.machine = nil
    }

    private func exchange(_ run: PairingRun) async throws {
        for await input in run.inputs {
            switch input {
            case .settled:
                // Of two devices one dials; the other waits to be dialled.
                guard run.wire == nil, run.endpoint == nil, let other = run.heard.values.first, let own = run.advert,
                    own.dials(other.advert)
                else { continue }
                dialToPair(
                    Endpoint(transport: radio.kind, address: other.address, port: UInt16(other.advert.psm)), run)
            case .crowd:
                throw ServiceError(
                    .handoffFailed,
                    "more than two devices are pairing near here; see to it that only yours are, and try again")
            case .wire(let wire):
                if !wire.isDialled { giveUpSearchDial(run) }
                guard run.wire == nil, !wire.isDialled || run.endpoint != nil, wire.isDialled || run.endpoint == nil
                else {
                    wire.close()
                    continue
                }
                begin(wire, run)
                // The other device is there, and a third one has no part in it.
                await setOnAir(run, false)
                try act(run, .opened)
            case .bytes(let bytes, let wire):
                guard wire === run.wire else { continue }
                run.isAnswered = true
                try act(run, .received(bytes))
            case .closed(let wire):
                guard wire === run.wire else { continue }
                guard await dialAnew(run) else {
                    // Not one that was found by radio: it has said that it pairs.
                    guard run.isAnswered || run.advert != nil else {
                        throw ServiceError(
                            .connectionUnavailable,
                            "the other device does not pair; run 'baton pair' on it first, and then this again")
                    }
                    try act(run, .closed)
                    continue
                }
            case .decided(let same):
                run.hasSaidYes = same
                try act(run, .decided(same))
            case .abandoned: throw PairingFailure.abandoned
            case .late:
                await setOnAir(run, false)
                guard run.hasShown else {
                    guard run.endpoint == nil || run.wire == nil else {
                        throw ServiceError(
                            .connectionUnavailable,
                            "what is reached at the address does not answer; is 'baton pair' running there?")
                    }
                    throw ServiceError(
                        .connectionUnavailable,
                        "no other device was found; run 'baton pair' on it within two minutes, and keep it near")
                }
            case .tooLate:
                // They were compared at the last moment.
                guard run.agreement == nil else { continue }
                guard run.hasWaited || !run.hasSaidYes else {
                    // The other side's yes, said at the last moment, may be on its way.
                    run.hasWaited = true
                    run.input.yield(.tooLate, at: clock.uptime + Self.pairingPassage, clock)
                    continue
                }
                throw ServiceError(.userCancelled, "nobody compared the digits in time, so the devices were not paired")
            case .noKnock:
                throw ServiceError(
                    .pairingFailed,
                    "the other device broke off after the digits were compared; run 'baton pair' again on both")
            case .unreachable(let reason):
                // Of a dial that was given up for whoever dialled in.
                guard run.endpoint != nil else { continue }
                throw ServiceError(.connectionUnavailable, "the other device cannot be reached: \(reason)")
            case .secured(let channel):
                guard run.secured == nil, run.agreement != nil else {
                    channel.close()
                    continue
                }
                run.secured = channel
            }
            guard let agreement = run.agreement else { continue }
            // Nobody else is needed, and nobody will look at who dials from here on.
            channels.pairingDoor.set(nil)
            if let channel = run.secured { return try await complete(agreement, on: channel) }
            // The knock comes on a channel of its own, and perhaps over a new link.
            await setOnAir(run, run.endpoint == nil)
        }
        throw PairingFailure.abandoned
    }

    private func begin(_ wire: PairingWire, _ run: PairingRun) {
        run.wire = wire
        run.machine = PairingMachine(
            role: wire.isDialled ? .initiator : .responder, transport: wire.transport,
            identity: run.returning ?? identity, name: store.state.name,
            circle: run.returning == nil ? circle?.id : nil, random: [UInt8](randomBytes: 32))
        Task { [input = run.input] in
            for await bytes in wire.incoming { input.yield(.bytes(bytes, wire)) }
            input.yield(.closed(wire))
        }
    }

    private func act(_ run: PairingRun, _ event: PairingMachine.Event) throws {
        for action in run.machine?.handle(event) ?? [] {
            switch action {
            case .send(let bytes): run.wire?.send(bytes)
            case .show(let digits):
                run.hasShown = true
                run.input.yield(.tooLate, at: clock.uptime + Self.pairingDecision, clock)
                run.shown.yield(digits)
            case .paired(let peer, let key): try agreed(with: peer, key, run)
            case .fail(let failure): throw failure
            }
        }
    }

    /// Both users said yes: who takes whom in follows, and a knock under the key that they share, with certificates that both know.
    private func agreed(with peer: PairedDevice, _ key: PairwiseKey, _ run: PairingRun) throws {
        let isInitiator = run.machine?.role == .initiator
        if let new = run.returning {
            // No other circle can say that this device was removed from its own.
            guard let circle else { throw PairingFailure.noCircleToReturnTo(isOwnLost: true) }
            guard let theirs = peer.circle else { throw PairingFailure.noCircleToReturnTo(isOwnLost: false) }
            guard theirs == circle.id else { throw PairingFailure.bothInCircles(areSame: false) }
            try beginReturn(as: new)
        }
        let host: Circle?
        switch (run.returning == nil ? circle : nil, peer.circle) {
        case (nil, nil): host = isInitiator ? try Circle(foundedBy: identity, name: store.state.name) : nil
        case (let own?, nil): host = own
        case (nil, _?): host = nil
        case (let own?, let theirs?):
            // Not as introduced: this device came into its circle meanwhile.
            throw PairingFailure.bothInCircles(areSame: own.id == theirs)
        }
        let joins = peer.circle ?? CircleID(founder: peer.member.keys.id)
        run.agreement = PairingRun.Agreement(member: peer.member, host: host, joins: joins)
        let certificateKey = peer.member.keys.certificateKey
        let credential = PeerCredential(peer: .paired, key: key) { $0 == certificateKey }
        guard isInitiator, let endpoint = run.endpoint else {
            keyring.setPairing(credential)
            // The end of the first channel says nothing: the radio may need its link for the next.
            return run.input.yield(.noKnock, at: clock.uptime + Self.pairingKnock, clock)
        }
        Task { [input = run.input] in
            do {
                let channel = try await self.race([endpoint], credential: credential)
                if case .enqueued = input.yield(.secured(channel)) { return }
                channel.close()
            } catch {
                input.yield(.unreachable("\(error)"))
            }
        }
    }

    /// From here on everything is as with an invitation, but that both sides know whose keys to expect.
    private func complete(_ agreement: PairingRun.Agreement, on channel: SecureChannel) async throws {
        defer { channel.close() }
        guard let host = agreement.host else { return try await join(agreement.joins, on: channel) }
        let room = try store.reserveRoom()
        defer { room.discard() }
        guard case .join(let encoded) = try await channel.nextFrame(within: Self.joinTimeout) else {
            throw ChannelFailure.violation("Join was due")
        }
        let request = try JoinRequest(encoded: encoded, circle: host.id)
        guard request.member.keys == agreement.member.keys else {
            throw ChannelFailure.violation("the request to join names other keys than were agreed on")
        }
        try await admit(request, to: host, into: room, on: channel)
    }

    private static func described(_ error: any Error) -> ServiceError {
        switch error {
        case let error as ServiceError: error
        case PairingFailure.abandoned, PairingFailure.declinedHere, PairingFailure.declinedThere:
            ServiceError(.userCancelled, "\(error)")
        case PairingFailure.bothInCircles, PairingFailure.noCircleToReturnTo: ServiceError(.alreadyInCircle, "\(error)")
        case let error as CircleError where error.code == .limitReached: ServiceError(.limitReached, error.message)
        default: ServiceError(.pairingFailed, "\(error)")
        }
    }
}
