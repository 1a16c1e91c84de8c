// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Logging

/// What this device advertises, and when.
extension HandoffService {
    /// Sets everything up that depends on the circle and its secret; called when either is new.
    func adoptCircle() async {
        await checkCode()
        keyring.setMembers(of: circle, except: identity)
        dropStrangers()
        if self.circle != nil { strangers = UnknownAdvertisers() }
        tellCondition()
        // Who reads a code must find this device, also when the circle is still to be founded.
        let circle = prospectiveCircle
        let unopened = clockSearch.unopened
        clockKeysChanged(circle)
        guard let circle else { return await fallSilent(hearingAgain: unopened) }
        let isNew = keys.adopt(circle.secret, at: clock.uptime)
        tell(book.membersChanged(Set(circle.roster.members.keys.map(\.short)), at: clock.uptime))
        // Before anything is waited for: what is lost meanwhile must not come back.
        hearAgain(unopened)
        if advertiser == nil {
            advertiser = BeaconAdvertiser(
                device: identity.id.short, secret: circle.secret, reserved: store.state.sequenceReserved)
            await takeOffAir()
            await psmChanged()
        } else if isNew {
            let hash = advertisedEntry.flatMap { keys.hash(of: $0) }
            let actions = advertiser?.secretChanged(circle.secret, activity: hash, at: moment)
            await perform(actions)
        }
        await advertisedChanged()
        await hailsChanged()
    }

    /// Without a circle there is nothing to say, and nothing to understand.
    private func fallSilent(hearingAgain unopened: [String: [UInt8]]) async {
        _ = keys.adopt(nil, at: clock.uptime)
        tell(book.membersChanged([], at: clock.uptime))
        hearAgain(unopened)
        advertiser = nil
        await takeOffAir()
        await hailsChanged()
    }

    /// What the device that this one was advertised is nobody's.
    private func takeOffAir() async {
        if slot.ordinary != nil { await perform([.advertise(nil)]) }
    }

    /// The activity that other devices are offered.
    var advertisedEntry: ActivityRegistry.Entry? {
        registry.advertised(at: clock.unixTime) { isAdvertisable($0.state.activityType, $0.application) }
    }

    /// Says what of the apps' activities may be advertised, by type and, where it is known, the
    /// app's id.
    public func advertise(
        where isAdvertisable: @escaping @Sendable (_ type: String, _ application: String?) -> Bool
    ) async {
        self.isAdvertisable = isAdvertisable
        await advertisedChanged()
    }

    /// The current activity, or what of it is advertised, may have changed.
    func advertisedChanged() async {
        let entry = advertisedEntry
        for change in registry.placesChanged(advertised: entry?.id) {
            tellClient(
                .currentChanged(activity: change.entry.id, client: change.entry.client, isCurrent: change.isCurrent))
        }
        var flags: BeaconFlags = []
        if entry?.state.webpageURL != nil { flags.insert(.hasWebPage) }
        if entry?.state.supportsContinuationStreams == true { flags.insert(.supportsStreams) }
        learnOwnTypes()
        let actions = advertiser?.activityChanged(
            entry.flatMap { keys.hash(of: $0) }, of: entry?.instance ?? [], flags: flags, at: moment)
        await perform(actions)
        setRegistryAlarm()
        await tellPeers()
    }

    /// A stream or an invitation that wants this device reachable has come or gone.
    func reachabilityChanged() async {
        let isWanted = invitations.count > 0 || streams.haveOrigin
        let actions = advertiser?.idleChanged(isWanted, at: moment)
        await perform(actions)
    }

    func psmChanged() async {
        // Before the call: no await may stand in its arguments, for the advertiser may be another
        // one, or none, after that.
        let psm = await listeners.psm()
        let actions = advertiser?.psmChanged(psm, at: moment)
        await perform(actions)
    }

    private func perform(_ actions: [BeaconAdvertiser.Action]?) async {
        var pending = actions ?? []
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .advertise(let bytes):
                slot.advertise(bytes)
                let isOffering = advertiser?.current.offered != nil
                hails.activityChanged(isAdvertised: isOffering, at: clock.uptime)
                // An activity does not wait for the end of a hail.
                if isOffering, slot.hail(nil) { hails.breakOff(at: clock.uptime) }
                if slot.hail == nil { await air() }
            case .reserve(let limit):
                do {
                    try store.update { $0.sequenceReserved = limit }
                    pending += advertiser?.reserved(upTo: limit, at: moment) ?? []
                } catch {
                    advertiser?.reservationFailed(at: moment)
                    logger.error("nothing is advertised: \(error)")
                }
            }
        }
        alarms.set(.advertiser, to: advertiser?.nextDeadline, clock) { [weak self] in
            await self?.advertiserAlarmWentOff()
        }
    }

    /// Puts on the air what is to be there.
    func air() async {
        let payload = slot.payload
        do {
            try await radio.advertise(payload)
            slot.took(payload)
            noteHail()
        } catch {
            slot.took(nil)
            logger.warning("the advertisement was refused, going on without: \(error)")
        }
    }

    private func advertiserAlarmWentOff() async {
        alarms.wentOff(.advertiser)
        let actions = advertiser?.timePassed(at: moment)
        await perform(actions)
    }

    /// An activity's end by its expiration date.
    private func setRegistryAlarm() {
        let now = clock.unixTime
        let deadline = registry.nextExpiry(after: now).map { clock.uptime + .seconds(min($0 - now, 86_400)) }
        alarms.set(.registry, to: deadline, clock) { [weak self] in await self?.registryAlarmWentOff() }
    }

    private func registryAlarmWentOff() async {
        alarms.wentOff(.registry)
        await advertisedChanged()
    }
}
