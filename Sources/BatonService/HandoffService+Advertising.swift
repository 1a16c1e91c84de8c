// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import UserActivity

/// What this device advertises, and when.
extension HandoffService {
    /// Sets everything up that depends on the circle and its secret; called when either is new.
    func adoptCircle() async {
        await checkCode()
        keyring.setMembers(of: circle, except: identity)
        dropStrangers()
        if self.circle != nil { strangers = [:] }
        tellCondition()
        // Who reads a code must find this device, also when the circle is still to be founded.
        let circle = prospectiveCircle
        let unopened = clockSearch.unopened
        clockKeysChanged(circle)
        guard let circle else { return await fallSilent(hearingAgain: unopened) }
        if circle.secret != adoptedSecret {
            if let hasher { formerHashers.append(hasher, at: clock.uptime) }
            hasher = ActivityHasher(secret: circle.secret)
            cipher = BeaconCipher(secret: circle.secret)
        }
        tell(book.membersChanged(Set(circle.roster.members.keys.map(\.short)), at: clock.uptime))
        // Before anything is waited for: what is lost meanwhile must not come back.
        hearAgain(unopened)
        if advertiser == nil {
            advertiser = BeaconAdvertiser(
                device: identity.id.short, secret: circle.secret, reserved: store.state.sequenceReserved)
            await psmChanged()
        } else if circle.secret != adoptedSecret {
            let hash = advertisedEntry.flatMap { self.hash(of: $0) }
            let actions = advertiser?.secretChanged(circle.secret, activity: hash, at: moment)
            await perform(actions)
        }
        adoptedSecret = circle.secret
        await advertisedChanged()
        await hailsChanged()
    }

    /// Without a circle there is nothing to say, and nothing to understand.
    private func fallSilent(hearingAgain unopened: [String: [UInt8]]) async {
        cipher = nil
        hasher = nil
        adoptedSecret = nil
        tell(book.membersChanged([], at: clock.uptime))
        hearAgain(unopened)
        let wasHeard = advertiser != nil
        advertiser = nil
        if wasHeard { await perform([.advertise(nil)]) }
        await hailsChanged()
    }

    /// The activity that other devices are offered.
    var advertisedEntry: ActivityRegistry.Entry? {
        registry.advertised(at: clock.unixTime) { isAdvertisable($0.state.activityType, $0.application) }
    }

    /// Says what of the apps' activities may be advertised, by type and, where it is known, the app's id.
    public func advertise(
        where isAdvertisable: @escaping @Sendable (_ type: String, _ application: String?) -> Bool
    ) async {
        self.isAdvertisable = isAdvertisable
        await advertisedChanged()
    }

    func hash(of entry: ActivityRegistry.Entry) -> ActivityHash? {
        hasher?.hash(team: entry.team, type: entry.state.activityType)
    }

    /// Whether an activity is offered under a hash, or was until a short while ago.
    func isOffered(_ entry: ActivityRegistry.Entry, as activity: [UInt8]) -> Bool {
        hash(of: entry)?.bytes == activity || formerHashers.offered(entry, as: activity, at: clock.uptime)
    }

    /// The current activity, or what of it is advertised, may have changed.
    func advertisedChanged() async {
        let entry = advertisedEntry
        var flags: BeaconFlags = []
        if entry?.state.webpageURL != nil { flags.insert(.hasWebPage) }
        if entry?.state.supportsContinuationStreams == true { flags.insert(.supportsStreams) }
        learnOwnTypes()
        let actions = advertiser?.activityChanged(entry.flatMap { hash(of: $0) }, flags: flags, at: moment)
        await perform(actions)
        setRegistryAlarm()
        await tellPeers()
    }

    /// A stream or an invitation that wants this device reachable has come or gone.
    func reachabilityChanged() async {
        let isWanted = !invitations.isEmpty || streams.values.contains(where: \.isOrigin)
        let actions = advertiser?.idleChanged(isWanted, at: moment)
        await perform(actions)
    }

    func psmChanged() async {
        let psm = await radioListener?.endpoints().first?.port ?? 0
        let actions = advertiser?.psmChanged(UInt8(clamping: psm), at: moment)
        await perform(actions)
    }

    private func perform(_ actions: [BeaconAdvertiser.Action]?) async {
        var pending = actions ?? []
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .advertise(let bytes):
                ordinaryAdvertisement = bytes
                hails.activityChanged(isAdvertised: advertiser?.current.offered != nil, at: clock.uptime)
                // An activity does not wait for the end of a hail.
                if hailOnAir == nil || advertiser?.current.offered != nil {
                    if hailOnAir != nil { hails.breakOff(at: clock.uptime) }
                    hailOnAir = nil
                    await air(bytes)
                }
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
        advertiserAlarm.set(advertiser?.nextDeadline, clock: clock) { [weak self] in
            await self?.advertiserAlarmWentOff()
        }
    }

    /// Puts an advertisement, or nothing, on the air.
    func air(_ bytes: [UInt8]?) async {
        do {
            let pairs = pairing.flatMap { $0.isOnAir ? $0.advert?.payload : nil }
            try await radio.advertise(pairs ?? bytes)
        } catch {
            logger.warning("the advertisement was refused, going on without: \(error)")
        }
    }

    private func advertiserAlarmWentOff() async {
        advertiserAlarm.wentOff()
        let actions = advertiser?.timePassed(at: moment)
        await perform(actions)
    }

    /// An activity's end by its expiration date.
    private func setRegistryAlarm() {
        let now = clock.unixTime
        let deadline = registry.nextExpiry(after: now).map { clock.uptime + .seconds(min($0 - now, 86_400)) }
        registryAlarm.set(deadline, clock: clock) { [weak self] in await self?.registryAlarmWentOff() }
    }

    private func registryAlarmWentOff() async {
        registryAlarm.wentOff()
        await advertisedChanged()
    }
}
