// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import NIOCore

/// The circle's devices: how they exchange news of the circle, and how they are renamed, are
/// removed, or leave.
extension HandoffService {
    /// How long a device that leaves the circle tries to inform the others.
    static let farewellTimeout = Duration.seconds(10)
    /// The part of ``farewellTimeout`` in which the device looks for the others.
    static let farewellSearch = Duration.seconds(8)

    /// Returns the account whose limits a device shares (``Roster/accounts(besides:)``).
    func account(of device: DeviceID) -> DeviceID { peers[device].account }

    /// Gives this device another name, in its own state and in the circle.
    public func rename(to name: String) async throws {
        guard Member.mayBeChosen(asName: name) else { throw Self.unusableName }
        guard name != store.state.name else { return }
        try changeCircle { state in
            state.name = name
            try state.circle?.rename(to: name, by: state.identity)
        }
        await airing { adoptCircle() }
    }

    static let unusableName = BatonError(
        .invalidArgument, .nameUnusable, ["limit": .count(Member.maximumNameLength)])

    /// Removes a device from the circle for good. A device with the same keys can never join again.
    ///
    /// - Parameter text: The device's id in upper or lower case, or its name if no other device has
    ///   the same name.
    /// - Returns: The removed device, and the ids of members that stay although only that device
    ///   vouched for them.
    public func removeDevice(_ text: String) async throws -> (member: CircleMember, unvouched: [String]) {
        let member = try member(called: text)
        guard !member.isThisDevice else {
            throw BatonError(.invalidArgument, .removesThisLaptop, ["laptop": .text(member.name)])
        }
        guard let device = circle?.roster.members.keys.first(where: { $0.description == member.device }) else {
            throw BatonError(.notFound, .laptopUnknown, ["laptop": .text(text)])
        }
        let unvouched = circle?.roster.members(vouchedForOnlyBy: device, besides: identity.id) ?? []
        try changeCircle { try $0.circle?.remove(device, by: $0.identity) }
        logger.notice("removed \(member.name) (\(device)) from the circle")
        await airing { adoptCircle() }
        return (member, unvouched.map(\.description).sorted())
    }

    /// Takes this device out of its circle, and gives it new keys.
    ///
    /// - Returns: The names of the devices that were informed. The other members learn from these
    ///   devices that this device has left. A member that does not learn this keeps this device
    ///   in its circle until a user removes it there.
    public func leaveCircle() async throws -> [String] {
        if !store.state.isCircleUnproved { _ = try neededCircle() }
        // Reserve space first, because a farewell cannot be taken back.
        let room = try store.reserveRoom()
        defer { room.discard() }
        let (leaving, device) = (circle?.id, identity.id)
        var told: [String] = []
        if var circle, circle.roster.members.count > 1 {
            do {
                try circle.remove(identity.id, by: identity)
                var farewell = hello()
                farewell.circle = try circle.encoded()
                told = await sendFarewell(farewell)
            } catch {
                // Leave in any case. The user's wish does not depend on the other devices.
                logger.warning("no device can be told that this one leaves, leaving all the same: \(error)")
            }
        }
        // This device may have left the circle or been removed meanwhile, and be in another circle
        // now.
        guard circle?.id == leaving, identity.id == device else { return told }
        try renewIdentity(isRemoval: false, into: room)
        await airing { adoptCircle() }
        return told
    }

    /// Returns the device whose id or name a user has given.
    func member(called text: String) throws -> CircleMember {
        _ = try neededCircle()
        return try DeviceNames(members).device(called: text)
    }

    /// Sends a last hello to every device that can be reached in time. Returns the names of the
    /// devices that have processed that hello. A device confirms this by closing the channel.
    ///
    /// Opens links to all devices before it informs the first. A device that learns of the farewell
    /// from another device no longer answers this device.
    private func sendFarewell(_ farewell: Hello) async -> [String] {
        let begun = clock.uptime
        let deadline = begun + Self.farewellTimeout
        let reached = await store.state.others.sorted().concurrentFilter { device in
            try await self.reach(device, until: begun + Self.farewellSearch)
            return true
        }
        let told = await reached.concurrentFilter { device in
            try await self.ask(device, until: deadline) { try await $0.sayFarewell(farewell, before: deadline) }
        }
        return told.map(name(of:)).sorted()
    }

    /// Opens a link to a device. Hails the device if nothing else leads to it.
    private func reach(_ device: DeviceID, until deadline: Duration) async throws {
        // If a program already waits for the device, do not hail it here, because that program's
        // ping hails it.
        if peers.awaited.begin(device) {
            defer { peers.awaited.end(device) }
            try await findWay(to: device, until: deadline)
        }
        _ = try await link(to: device, by: .any, until: deadline)
    }

    /// Changes the circle, and forgets which members know it.
    func changeCircle(_ change: (inout DeviceState) throws -> Void) throws {
        do {
            try store.update { try $0.changeCircle(change) }
        } catch {
            throw BatonError(circleError: error)
        }
        peers.changeAll { $0.dialTurns.forgetSyncs() }
        advertising.beginHailsAnew(at: clock.uptime)
    }

    /// Merges a member's news of the circle into this device's circle.
    func mergeCircle(_ encoded: [UInt8], from device: DeviceID) {
        guard !encoded.isEmpty, let known = circle else { return }
        let isStale = clock.unixTime - store.state.inTouch >= 3_600 || clock.unixTime < store.state.inTouch
        // Skip news that equals this device's own circle. Members that are known to have the same
        // circle send it repeatedly.
        if encoded == store.encodedCircle, store.state.acknowledged.contains(device), !isStale { return }
        var merged = known
        guard peers.judges(encoded, of: device, against: store.encodedCircle, at: clock.uptime) else {
            return logger.debug("what \(device) says of the circle was judged already, or is said too often")
        }
        do {
            let news = try CircleNews(encoded: encoded, known: known)
            let held = peers.devicesWithHeldNames(at: clock.uptime)
            let isNew = try merged.merge(news.without(namesOf: held), by: identity)
            guard merged.roster.members[identity.id] != nil else {
                let remover = merged.roster.remover(of: identity.id).map { name(of: $0) }
                logger.warning("\(remover ?? "another device") removed this device from the circle")
                try renewIdentity(isRemoval: true, by: remover)
                return adoptCircle()
            }
            keepNames(of: held, in: news, for: merged)
            let isKnown = merged.isKnown(from: news, exceptNamesOf: held)
            defer {
                if circle == merged { peers[device].news.judged(encoded, leadingTo: store.encodedCircle) }
            }
            if !isNew, isKnown == store.state.acknowledged.contains(device), !isStale { return }
            try store.update {
                $0.merge(merged, isNew: isNew, isKnown: isKnown, by: device, at: clock.unixTime)
            }
            guard isNew else { return hailsChanged() }
            circleChanged(from: known, to: merged)
        } catch {
            logger.warning(
                "what \(device) says of the circle was refused: \(error)", metadata: [LogMetadata.cause: "\(device)"])
            // After a failed write, judge the same news again. After an error in the news, do not.
            if error is CircleError { peers[device].news.judged(encoded, leadingTo: store.encodedCircle) }
            return
        }
        adoptCircle()
    }

    /// Updates dials, hails and names after news from other devices has changed the circle.
    private func circleChanged(from former: Circle, to new: Circle) {
        peers.renamed(new.renamed(since: former), at: clock.uptime)
        peers.changeAll { $0.dialTurns.forgetSyncs() }
        advertising.beginHailsAnew(at: clock.uptime)
    }

    /// Holds back further new names of devices that were renamed a short while ago.
    private func keepNames(of devices: Set<DeviceID>, in news: CircleNews, for circle: Circle) {
        for device in devices {
            guard let naming = news.naming(of: device) else { continue }
            peers[device].names.keep(naming, for: circle, by: identity)
        }
        schedule(.renames, at: peers.all.compactMap(\.names.deadline).min())
    }

    /// Merges the new names that have waited long enough.
    func takeRenames() {
        let due = peers.takeFromAll { $0.names.takeDue(at: clock.uptime) }
        schedule(.renames, at: peers.all.compactMap(\.names.deadline).min())
        guard let known = circle else { return }
        var merged = known
        for (_, naming) in due { _ = try? merged.merge(naming, by: identity) }
        guard merged != known else { return }
        do {
            try store.update { $0.changeCircle { $0.circle = merged } }
        } catch {
            // The names are not lost, because the devices' hellos repeat them.
            return logger.debug("new names were not kept: \(error)")
        }
        circleChanged(from: known, to: merged)
        adoptCircle()
    }

    /// Takes this device out of its circle, and gives it a new identity.
    private func renewIdentity(isRemoval: Bool, by name: String? = nil, into room: StateDraft? = nil) throws {
        try store.update(into: room) { $0.leaveCircle(isRemoval: isRemoval, by: name) }
        try channels.certificate.renew(identity: identity)
        forgetFormerDevice()
    }

    /// Closes the channels and forgets the state that belonged to the former device.
    func dropFormerDevice() {
        for link in peers.links.open {
            link.channel.close()
            peers.links.retire(link)
        }
        for pair in streams.all { pair.handle.stop() }
        peers.dials.drop(PeerLink.unavailable)
        peers.changeAll { $0.dialTurns.forget() }
        advertising.beginHailsAnew(at: clock.uptime)
        forgetFormerDevice()
    }

    /// Forgets the offers, the beacon and the invitations of the former identity.
    func forgetFormerDevice() {
        // The advertiser used the former device's id. ``adoptCircle()`` takes the former device's
        // beacon off the air.
        advertising.forgetDevice()
        carryOut(sightings.book.membersChanged([], at: clock.uptime))
        sightings.book = OfferBook(own: identity.id.short)
        // ``checkCode()`` ends the code that is shown, when the circle is adopted.
        invitations = OpenInvitations()
    }

    /// Closes the channels of devices that are no longer members. The last frame on a link says
    /// that the device was removed.
    func dropStrangers() {
        for link in peers.links.open where !isMember(link.device) {
            if let farewell = try? circle?.farewell(to: link.device) {
                link.channel.send(
                    .hello(Hello(name: store.state.name, unixTime: clock.unixTime, sequence: 0, circle: farewell)))
            }
            link.channel.close()
            peers.links.retire(link)
        }
        for pair in streams.all where !isMember(pair.way.device) { pair.handle.stop() }
        peers.dials.cancel { !isMember($0) }
        peers.membersChanged(
            to: store.state.others, accounts: circle?.roster.accounts(besides: identity.id) ?? [:])
        lan.membersChanged(&store)
    }
}

extension BatonError {
    /// Makes the error for a user whose change of the circle was refused.
    init(circleError error: any Error) {
        switch error {
        case let error as BatonError: self = error
        case let error as CircleError where error.code == .limitReached:
            self.init(.limitReached, .circleFull, ["reason": .reason(error.explanation)])
        default: self.init(.invalidArgument, .unexpected, ["reason": BatonError.reason(error)])
        }
    }
}
