// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import NIOCore

/// The circle: founding one, inviting to it, joining it, keeping up with it.
extension HandoffService {
    /// How long each step of joining may take.
    static let joinTimeout = Duration.seconds(15)
    /// How many invitations are open at a time; the oldest gives way.
    static let maximumInvitations = 8

    /// Founds a circle with this device alone.
    ///
    /// - Parameter name: what this device is called from now on; empty leaves it.
    /// - Throws: ``ServiceError`` when there is a circle already, or the name cannot be shown.
    public func createCircle(name: String) async throws {
        try refuseUnprovedCircle()
        guard circle == nil else {
            throw ServiceError(.alreadyInCircle, "this device is in a circle already; see 'baton status'")
        }
        guard name.isEmpty || Member.isValidName(name) else {
            throw ServiceError(
                .invalidArgument, "a name has 1 to \(Member.maximumNameLength) bytes, all of them visible")
        }
        try store.update { state in
            if !name.isEmpty { state.name = name }
            state.circle = try Circle(foundedBy: state.identity, name: state.name)
            state.wasRemoved = false
        }
        await adoptCircle()
    }

    /// Opens the door for one device, for ten minutes.
    ///
    /// - Returns: the invitation's text, and the Unix second at which it is over.
    public func invite() async throws -> (text: String, expires: Int64) {
        try refuseUnprovedCircle()
        guard let circle else {
            throw ServiceError(.noCircle, "this device is in no circle; run 'baton circle create' first")
        }
        let (_, invitation) = try await openInvitation(to: circle.id, maximumEndpoints: Invitation.maximumEndpoints)
        return (try invitation.text(), invitation.expires)
    }

    /// Opens an invitation; the oldest gives way when there are too many.
    ///
    /// - Returns: what it is called among the open ones, and the invitation.
    func openInvitation(to circle: CircleID, maximumEndpoints: Int) async throws -> (
        name: String, invitation: Invitation
    ) {
        await refreshTCPEndpoints()
        let endpoints = (await radioListener?.endpoints() ?? []) + (await tcpListener?.endpoints() ?? [])
        guard !endpoints.isEmpty else {
            throw ServiceError(
                .connectionUnavailable,
                "nobody could reach this device: \(radioStatus.summary), and TCP is off or without a network")
        }
        let invitation = Invitation(
            from: identity.keys, name: store.state.name, to: circle, at: clock.unixTime,
            endpoints: endpoints.prefix(maximumEndpoints).map {
                .init(transport: $0.transport, address: $0.address, port: $0.port)
            })
        if invitations.count >= Self.maximumInvitations,
            let oldest = invitations.min(by: { $0.value.expires < $1.value.expires })
        {
            await endInvitation(
                oldest.key,
                because: ServiceError(.limitReached, "\(Self.maximumInvitations) newer invitations are open"))
        }
        let name = [UInt8](randomBytes: 8).map { String($0, radix: 16) }.joined()
        invitations[name] = invitation
        invitationEnds[name] = clock.uptime + .seconds(Invitation.lifetime)
        await invitationsChanged()
        return (name, invitation)
    }

    /// Joins the circle that an invitation names.
    public func joinCircle(_ text: String) async throws {
        try refuseUnprovedCircle()
        guard circle == nil else {
            throw ServiceError(.alreadyInCircle, "this device is in a circle already; see 'baton status'")
        }
        let invitation: Invitation
        do {
            invitation = try Invitation(text: text, at: clock.unixTime)
        } catch {
            throw ServiceError(.invitationInvalid, "\(error)")
        }
        let endpoints = invitation.endpoints.map {
            Endpoint(transport: $0.transport, address: $0.address, port: $0.port)
        }
        guard endpoints.contains(where: { [radio.kind, tcp?.kind].contains($0.transport) }) else {
            let named = Set(endpoints.map(\.transport.rawValue)).sorted().joined(separator: ", ")
            throw ServiceError(
                .connectionUnavailable,
                named.isEmpty
                    ? "the invitation comes from a newer Baton, whose ways of connecting this one does not know; update Baton here"
                    : "the inviter can be reached by \(named) only, which this device does not use; see 'baton status' on both"
            )
        }
        guard let key = PairwiseKey(invitationSecret: invitation.secret) else {
            throw ServiceError(.invitationInvalid, "the invitation is damaged; ask for a new one")
        }
        let pin = invitation.certificatePin
        let credential = PeerCredential(peer: .inviter, key: key) { DeviceKeys.pin(of: $0) == pin }
        let channel: SecureChannel
        do {
            channel = try await dialInviter(endpoints, credential: credential)
        } catch {
            let reason = (error as? HandoffError)?.cause ?? "\(error)"
            throw ServiceError(
                .invitationInvalid,
                "\(invitation.inviterName) does not answer to this invitation: it is used or over, or the device is not near and running (\(reason))"
            )
        }
        defer { channel.close() }
        do {
            try await join(invitation.circle, on: channel)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.invitationInvalid, "joining failed: \(error); ask for a new invitation")
        }
        await adoptCircle()
    }

    /// The joining side, once the channel is secure.
    func join(_ id: CircleID, on channel: SecureChannel) async throws {
        let request = try JoinRequest(identity, name: store.state.name, circle: id)
        channel.send(.join(try request.encoded()))
        guard case .welcome(let encoded) = try await channel.nextFrame(within: Self.joinTimeout) else {
            throw ChannelFailure.violation("Welcome was due")
        }
        let circle = try Circle(encoded: encoded)
        guard circle.id == id, circle.roster.members[identity.id] != nil else {
            throw ChannelFailure.violation("the circle is not the one that was agreed on, or this device is not in it")
        }
        channel.send(.joined([]))
        guard case .joined = try await channel.nextFrame(within: Self.joinTimeout) else {
            throw ChannelFailure.violation("Joined was due")
        }
        guard self.circle == nil, circle.roster.members[identity.id] != nil else {
            throw ServiceError(.alreadyInCircle, "this device came into another circle meanwhile")
        }
        try store.update { state in
            state.circle = circle
            // Whom the inviter has not told yet, the inviter tells.
            state.acknowledged = Set(circle.roster.members.keys)
            state.inTouch = clock.unixTime
            state.wasRemoved = false
        }
    }

    /// The inviting side. The invitation is spent by the first request, whatever becomes of it.
    func admit(_ encoded: [UInt8], on channel: SecureChannel, invitation name: String) async throws {
        guard let invitation = invitations.removeValue(forKey: name) else { throw ChannelFailure.refused }
        await invitationsChanged()
        defer { channel.close() }
        do {
            guard let host = prospectiveCircle, invitation.circle == host.id else { throw ChannelFailure.refused }
            guard clock.unixTime < invitation.expires else { throw ChannelFailure.timedOut }
            let request = try JoinRequest(encoded: encoded, circle: host.id)
            try await admit(request, to: host, on: channel)
        } catch {
            await codeEnded(
                invitation: name,
                ServiceError(
                    .pairingFailed, "a device came with the invitation, but did not join (\(error)); make a new one"))
            throw error
        }
        await codeEnded(invitation: name, nil)
    }

    /// Takes a device into a circle, this one's own or one that this device founds with it; nothing is kept before the device has agreed.
    func admit(_ request: JoinRequest, to known: Circle, on channel: SecureChannel) async throws {
        let member = request.member
        guard member.keys.certificateKey == channel.certificateKey else {
            throw ChannelFailure.violation("the request to join names another certificate key")
        }
        var grown = known
        try grown.add(request, by: identity)
        let welcome = try grown.encoded()
        channel.send(.welcome(welcome))
        guard case .joined = try await channel.nextFrame(within: Self.joinTimeout) else {
            throw ChannelFailure.violation("Joined was due")
        }
        let news = try CircleNews(encoded: welcome)
        // Who left meanwhile, or was removed, has other keys by now, and nobody to take in.
        guard circle == nil || circle?.id == known.id, known.roster.members[identity.id] != nil else {
            throw ServiceError(
                .pairingFailed, "this device left its circle meanwhile, or came into another one, and takes nobody in")
        }
        try store.update { state in
            // What was learnt meanwhile stays.
            var circle = state.circle ?? known
            _ = try circle.merge(news, by: state.identity)
            state.circle = circle
            state.acknowledged = circle.isKnown(from: news) ? [member.keys.id] : []
            state.inTouch = clock.unixTime
            state.wasRemoved = false
        }
        lastSync = [:]
        await adoptCircle()
        logger.notice("\(member.name) (\(member.keys.id)) joined the circle")
        try await channel.channel.writeAndFlush(Frame.joined([])).get()
    }

    func endInvitation(_ name: String, because reason: ServiceError) async {
        guard invitations.removeValue(forKey: name) != nil else { return }
        await invitationsChanged()
        await codeEnded(invitation: name, reason)
    }

    /// Refuses what needs a circle, or makes one, where there is one that an earlier version made: nobody but the user leaves that.
    func refuseUnprovedCircle() throws {
        guard !store.state.isCircleUnproved else { throw ServiceError(.noCircle, Self.unprovedCircle) }
    }

    static let unprovedCircle =
        "this device's circle was made by an earlier version of Baton, whose devices do not prove their keys; run 'baton leave' on each of them, then make it anew with 'baton pair' or 'baton circle create'"

    func invitationsChanged() async {
        invitationEnds = invitationEnds.filter { invitations[$0.key] != nil }
        invitationAlarm.set(invitationEnds.values.min(), clock: clock) { [weak self] in
            await self?.invitationAlarmWentOff()
        }
        keyring.setInvitations(invitations)
        await reachabilityChanged()
    }
    private func invitationAlarmWentOff() async {
        invitationAlarm.wentOff()
        for (name, end) in invitationEnds where end <= clock.uptime {
            await endInvitation(
                name, because: ServiceError(.connectionUnavailable, "no device used the invitation within ten minutes"))
        }
    }
}
