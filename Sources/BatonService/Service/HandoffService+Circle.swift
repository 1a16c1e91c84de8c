// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Founds and joins circles, and invites devices.
extension HandoffService {
    /// Founds a circle with this device as its only member.
    ///
    /// - Parameter name: The new name of this device; empty for no change.
    /// - Throws: ``BatonError`` when this device is in a circle already, or the name is not
    ///   allowed.
    public func createCircle(name: String) async throws {
        try refuseUnprovedCircle()
        guard circle == nil else {
            throw BatonError(.alreadyInCircle, .alreadyInCircle)
        }
        guard name.isEmpty || Member.mayBeChosen(asName: name) else { throw Self.unusableName }
        try store.update { state in
            if !name.isEmpty { state.name = name }
            state.circle = try Circle(foundedBy: state.identity, name: state.name)
            state.wasRemoved = false
        }
        await airing { adoptCircle() }
    }

    /// Opens an invitation for one device, for ten minutes.
    ///
    /// - Returns: The invitation's text, and the Unix second at which it ends.
    public func invite() async throws -> (text: String, expires: Int64) {
        let circle = try neededCircle()
        let (name, invitation) = try await openInvitation(to: circle.id, maximumEndpoints: Invitation.maximumEndpoints)
        // This device may have left the circle while the radio began to advertise.
        guard self.circle?.id == circle.id else {
            let failure = BatonError(.pairingFailed, .leftMeanwhile)
            endInvitation(name, because: failure)
            throw failure
        }
        return (try invitation.text(), invitation.expires)
    }

    /// Opens an invitation. If too many invitations are open, ends the oldest one.
    ///
    /// - Returns: The invitation, and its name among the open invitations.
    func openInvitation(to circle: CircleID, maximumEndpoints: Int) async throws -> (
        name: String, invitation: Invitation
    ) {
        try store.checkRoom()
        refreshToldEndpoints()
        let endpoints = await reachability.listeners.endpoints()
        guard !endpoints.isEmpty else {
            let problem = radioStatus.problem ?? Finding(.radioNotReady)
            throw BatonError(.connectionUnavailable, .unreachableHere, ["reason": .reason(problem.reason)])
        }
        let invitation = Invitation(
            from: identity.keys, name: store.state.name, to: circle, at: clock.unixTime,
            endpoints: Array(endpoints.prefix(maximumEndpoints)))
        if let oldest = invitations.nextToGiveWay {
            logger.notice("of \(OpenInvitations.maximumCount) open invitations the oldest gives way to a newer one")
            endInvitation(
                oldest,
                because: BatonError(.limitReached, .invitationsReplaced))
        }
        let name = invitations.insert(invitation, at: clock.uptime)
        await airing { reachabilityChanged() }
        return (name, invitation)
    }

    /// Joins the circle that an invitation names. If this device was removed from that same circle,
    /// it comes back as a new device.
    public func joinCircle(_ text: String) async throws {
        try refuseUnprovedCircle()
        listening.joins += 1
        listeningChanged()
        defer {
            listening.joins -= 1
            listeningChanged()
        }
        let invitation: Invitation
        do {
            invitation = try Invitation(text: text, at: clock.unixTime)
        } catch {
            throw BatonError(invitationError: error, at: clock.unixTime)
        }
        guard circle != nil else { return try await join(by: invitation) }
        guard invitation.certificatePin != identity.keys.certificatePin else {
            throw BatonError(.alreadyInCircle, .invitationOwn)
        }
        guard invitation.circle == circle?.id else {
            throw BatonError(.alreadyInCircle, .inOtherCircle)
        }
        let new = DeviceIdentity()
        try beginReturn(as: new)
        defer { endReturn(of: new) }
        do {
            try await join(by: invitation)
        } catch let error as BatonError
            where [.invitationInvalid, .pairingFailed].contains(error.code) && circle != nil
        {
            throw BatonError(.alreadyInCircle, .inThatCircle)
        }
    }

    /// Makes channels show the key of the identity that this device will have. Until
    /// ``endReturn(of:)``, this device shows a key that members do not know.
    func beginReturn(as new: DeviceIdentity) throws {
        guard pairings.returning == nil else {
            throw BatonError(.limitReached, .returning)
        }
        try channels.certificate.renew(identity: new)
        pairings.returning = new
        logger.info("if it was removed, this device comes back as \(new.id)")
    }

    /// Makes channels show the key of the present identity again, after this device came back or
    /// failed to.
    func endReturn(of new: DeviceIdentity) {
        guard pairings.returning?.id == new.id else { return }
        pairings.returning = nil
        do {
            try channels.certificate.renew(identity: identity)
        } catch {
            logger.error("this device's certificate could not be made, start batond again: \(error)")
        }
    }

    private func join(by invitation: Invitation) async throws {
        let attempts = try JoinAttempts(by: invitation, dialler: dialler)
        try await attempts.run {
            await self.advertisers(insteadOf: invitation.endpoints)
        } join: {
            try await join(invitation.circle, on: $0)
        }
    }

    /// Joins a circle over a secure channel.
    func join(_ id: CircleID, on channel: SecureChannel) async throws {
        // Reserve space before the request. A device that cannot store the circle must not use up
        // the invitation or become a member.
        let room = try store.reserveRoom()
        defer { room.discard() }
        let (returning, joiner) = (pairings.returning, pairings.returning ?? identity)
        let request = try JoinRequest(joiner, name: store.state.name, circle: id)
        let outcome = try await Joining(channel: channel, clock: clock).join(by: request) { welcome in
            let circle =
                try returning.map { try store.state.circleReturned(welcome, as: $0) } ?? Circle(encoded: welcome)
            guard circle.id == id, circle.roster.members[joiner.id] != nil else {
                throw ChannelFailure.violation(
                    "the circle is not the one that was agreed on, or this device is not in it")
            }
            logger.debug("the circle \(id) takes this device in")
            return circle
        }
        let circle = try enter(outcome, as: joiner, returning: returning, into: room)
        await airing { adoptCircle() }
        let inviter = circle.roster.members.values.first { $0.keys.certificateKey == channel.certificateKey }
        if let inviter {
            wasSeen(inviter.keys.id, clock: outcome.joined)
            met(inviter.keys.id, on: channel)
        }
    }

    /// Stores a circle that this device has joined, with the news that arrived while this device
    /// waited for the other side. If that news removed this device from its circle, this device
    /// continues with the inviter's circle.
    ///
    /// - Parameter returning: The identity with which this device comes back to its circle, or nil.
    private func enter(
        _ joined: Joining.Outcome, as joiner: DeviceIdentity, returning: DeviceIdentity?, into room: StateDraft
    ) throws -> Circle {
        var circle = joined.circle
        guard self.circle == nil || returning != nil && self.circle?.id == circle.id,
            returning != nil || joiner.id == identity.id
        else { throw BatonError(.alreadyInCircle, .cameElsewhere) }
        if let returning, self.circle != nil || !store.state.wasRemoved {
            circle = try store.state.circleReturned(joined.welcome, as: returning)
        }
        let isKnown = circle.isKnown(from: try CircleNews(encoded: joined.welcome))
        // Use one write, so that a crash leaves either the former device with its circle or the new
        // device with the new circle.
        try store.update(into: room) { $0.join(circle, isKnown: isKnown, as: returning, at: clock.unixTime) }
        if returning != nil { dropFormerDevice() }
        return circle
    }

    /// Records the contact with a device, and the time of its clock, after one of the two has taken
    /// the other into the circle.
    private func wasSeen(_ device: DeviceID, clock shown: [UInt8]) {
        peers[device].lastSeen = clock.unixTime
        learnClock(of: device, from: shown)
    }

    /// Admits a device that comes with an invitation. From then on no other device can use the
    /// invitation. The invitation ends when the device has joined or breaks a rule, not when the
    /// connection breaks.
    func admit(_ encoded: [UInt8], on channel: SecureChannel, invitation name: String) async throws {
        defer { channel.close() }
        // Reserve space before the invitation is used. Otherwise the invitation would be used up
        // for nothing if the disk is full.
        let room = try store.reserveRoom()
        defer { room.discard() }
        guard let invitation = invitations[name] else { throw ChannelFailure.refused }
        do {
            guard let host = prospectiveCircle, invitation.circle == host.id, clock.unixTime < invitation.expires
            else { throw ChannelFailure.violation("the invitation is over") }
            let request = try JoinRequest(encoded: encoded, circle: host.id)
            guard invitations.take(name, by: request.member.keys.id) else { throw ChannelFailure.refused }
            try await admit(request, to: host, into: room, on: channel, invitation: name)
        } catch let failure as ChannelFailure where failure.isBreak {
            throw failure
        } catch {
            logger.notice("a device that used an invitation cannot join: \(error)")
            endInvitation(
                name, because: BatonError(.pairingFailed, .inviteeFailed, ["reason": BatonError.reason(error)]))
            throw error
        }
        _ = invitations.remove(name)
        reachabilityChanged()
        codeEnded(invitation: name, nil)
    }

    /// Takes a device into this device's circle, or into a circle that this device founds with it.
    /// Stores nothing before the device has agreed.
    ///
    /// - Parameter name: The invitation that the device uses, or nil if it uses none.
    func admit(
        _ request: JoinRequest, to known: Circle, into room: StateDraft, on channel: SecureChannel,
        invitation name: String? = nil
    ) async throws {
        let member = request.member
        guard member.keys.certificateKey == channel.certificateKey else {
            throw ChannelFailure.violation("the request to join names another certificate key")
        }
        var grown = known
        try grown.add(request, by: identity)
        let welcome = try grown.encoded()
        let joining = Joining(channel: channel, clock: clock)
        let shown = try await joining.welcome(with: welcome)
        try takeIn(member, agreedTo: welcome, of: known, into: room, invitation: name)
        wasSeen(member.keys.id, clock: shown)
        met(member.keys.id, on: channel)
        logger.notice("\(member.name) (\(member.keys.id)) joined the circle")
        try await joining.complete()
    }

    /// Stores the circle with a device that has agreed to it.
    private func takeIn(
        _ member: Member, agreedTo welcome: [UInt8], of known: Circle, into room: StateDraft, invitation name: String?
    ) throws {
        let news = try CircleNews(encoded: welcome)
        // If this device left or was removed while it waited, it has other keys and cannot take a
        // device in.
        guard circle == nil || circle?.id == known.id, known.roster.members[identity.id] != nil else {
            throw BatonError(.pairingFailed, .leftMeanwhile)
        }
        // The user may have withdrawn the invitation, or it may be too old now.
        if let name, invitations[name] == nil { throw ChannelFailure.violation("the invitation is over") }
        try store.update(into: room) { try $0.admit(member.keys.id, with: news, to: known, at: clock.unixTime) }
        peers.changeAll { $0.dialTurns.forgetSyncs() }
        adoptCircle()
    }

    func endInvitation(_ name: String, because reason: BatonError) {
        guard invitations.remove(name) != nil else { return }
        reachabilityChanged()
        codeEnded(invitation: name, reason)
    }

    /// Throws if an earlier version made this device's circle. Only the user may leave such a
    /// circle.
    func refuseUnprovedCircle() throws {
        guard !store.state.isCircleUnproved else { throw BatonError(.noCircle, Finding(.circleOutdated)) }
    }

    /// Updates the deadline and the knock keys of the open invitations, and how much the radio
    /// listens.
    func invitationsChanged() {
        schedule(.invitations, at: invitations.deadline)
        keyring.setInvitations(invitations.all)
        listeningChanged()
    }

    /// Ends the invitations that no device used in time.
    func endOldInvitations() {
        for name in invitations.over(at: clock.uptime) {
            endInvitation(
                name, because: BatonError(.connectionUnavailable, .invitationUnused))
        }
    }
}

extension BatonError {
    /// Creates the error for an invitation that cannot be used.
    fileprivate init(invitationError error: any Error, at unixTime: Int64) {
        switch error as? CircleError {
        case Invitation.otherVersion?: self.init(.invitationInvalid, .invitationOfOtherVersion)
        case let error? where error.code == .expired:
            self.init(.invitationInvalid, .invitationOver, ["clock": .time(unixTime)])
        default: self.init(.invitationInvalid, .invitationMalformed)
        }
    }
}
