// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
public import Diagnosis
import Logging
import TraceModel

/// Advertises this device's current activity.
extension HandoffService {
    /// Updates everything that depends on the circle and its secret. Called after each change of
    /// either.
    func adoptCircle() {
        checkCode()
        keyring.setMembers(of: circle, except: identity)
        dropStrangers()
        if self.circle != nil { sightings.forgetStrangers() }
        tellCondition()
        listeningChanged()
        // Advertise also for a circle that a shown code may found, because the device that reads
        // the code must find this device.
        let circle = prospectiveCircle
        let unopened = sightings.clockSearch.unopened
        clockKeysChanged(circle)
        guard let circle else { return fallSilent(hearingAgain: unopened) }
        let isNew = advertising.keys.adopt(circle.secret, at: clock.uptime)
        carryOut(sightings.book.membersChanged(Set(circle.roster.members.keys.map(\.short)), at: clock.uptime))
        hearAgain(unopened)
        if advertising.advertiser == nil {
            let advertiser = BeaconAdvertiser(
                device: identity.id.short, secret: circle.secret, reserved: store.state.sequenceReserved)
            beaconChanged(advertising.begin(with: advertiser, &store, at: moment))
            psmChanged()
        } else if isNew {
            let hash = advertisedEntry.flatMap { advertising.keys.hash(of: $0) }
            changeBeacon { $0.secretChanged(circle.secret, activity: hash, at: $1) }
        }
        advertisedChanged()
        hailsChanged()
    }

    /// Stops advertising and forgets all offers, because this device is in no circle.
    private func fallSilent(hearingAgain unopened: [String: [UInt8]]) {
        _ = advertising.keys.adopt(nil, at: clock.uptime)
        carryOut(sightings.book.membersChanged([], at: clock.uptime))
        hearAgain(unopened)
        beaconChanged(advertising.begin(with: nil, &store, at: moment))
        hailsChanged()
    }

    /// The activity that this device offers to other devices; nil for none.
    var advertisedEntry: ActivityRegistry.Entry? {
        lifecycle.isDraining ? nil : apps.advertised(at: clock.unixTime)
    }

    /// Sets which of the apps' activities may be advertised.
    ///
    /// - Parameters:
    ///   - mayAdvertise: Whether any activity may be advertised.
    ///   - whyHidden: Returns why an activity stays on this device, for its publisher; nil
    ///     if it may be advertised. Called with the activity's type and, if it is known, the app's
    ///     id.
    public func advertise(
        _ mayAdvertise: Bool,
        hidden whyHidden: @escaping @Sendable (_ type: String, _ application: String?) -> Reason? = { _, _ in nil }
    ) async {
        tell(apps.advertise(mayAdvertise, hidden: whyHidden))
        await airing {
            advertisedChanged()
            carryOut(lan.mute(!mayAdvertise, &store, at: moment))
            reachabilityChanged()
        }
    }

    /// Updates the beacon, apps and peers after a change that may affect the current activity or
    /// its advertisement.
    func advertisedChanged() {
        let entry = advertisedEntry
        let (isNew, events) = apps.advertises(entry)
        if isNew, circle != nil {
            lookForOffers()
            carryOut(lan.activityBecameCurrent(&store, at: moment))
        }
        tell(events)
        var flags: BeaconFlags = []
        if entry?.state.webpageURL != nil { flags.insert(.hasWebpage) }
        if entry?.state.supportsContinuationStreams == true { flags.insert(.supportsStreams) }
        learnOwnTypes()
        let hash = entry.flatMap { advertising.keys.hash(of: $0) }
        changeBeacon { $0.activityChanged(hash, of: entry?.instance ?? [], flags: flags, at: $1) }
        setRegistryAlarm()
        tellPeers()
    }

    /// Updates the beacon when a stream, an invitation or a probe begins or ends. While one of
    /// these exists, others must be able to reach this device.
    func reachabilityChanged() {
        let isWanted = invitations.count > 0 || streams.haveOrigin || isProbed
        changeBeacon { $0.idleChanged(isWanted, at: $1) }
    }

    /// Updates the beacon after a change of the radio's listener.
    func radioDoorChanged() async {
        reachability.psm = await reachability.listeners.psm()
        psmChanged()
    }

    private func psmChanged() {
        let psm = reachability.psm
        changeBeacon { $0.psmChanged(psm, at: $1) }
    }

    func advertisingTimePassed() { changeBeacon { $0.timePassed(at: $1) } }

    /// Changes the beacon. The change must not read ``advertising``.
    private func changeBeacon(
        _ change: (inout BeaconAdvertiser, BeaconAdvertiser.Moment) -> [BeaconAdvertiser.Action]
    ) {
        let now = moment
        beaconChanged(advertising.changeBeacon(&store, at: now) { change(&$0, now) })
    }

    private func beaconChanged(_ isNew: Bool) {
        if isNew { air() }
        schedule(.advertiser, at: advertising.advertiser?.nextDeadline)
    }

    /// Begins to put the wanted advertisement on the air, unless a call to the radio is about to do
    /// so.
    func air() {
        guard !lifecycle.isStopping, let call = advertising.calls.begin() else { return }
        background.begin { await self.carryOut(call) }
    }

    /// Makes a change. If it changes the advertisement, returns when the radio has answered.
    func airing(_ change: () throws -> Void) async rethrows {
        let wishes = advertising.calls.wishes
        try change()
        guard advertising.calls.wishes != wishes else { return }
        try? await advertising.calls.latest?.value()
    }

    /// When two calls to the radio overlap, the later call may take effect first. Therefore the
    /// last call to return repeats the request if the wanted state has changed.
    private func carryOut(_ call: RadioCalls.Call) async {
        advertising.calls.reads(call)
        if !lifecycle.isStopping { await putOnAir() }
        while advertising.calls.isToRepeat, !lifecycle.isStopping {
            advertising.calls.repeats()
            await putOnAir()
        }
        advertising.calls.ended(call)
    }

    private func putOnAir() async {
        let payload = advertising.slot.payload
        do {
            try await radio.advertise(payload)
            trace.record(.radio, "advertising", [.plain("what", advertising.slot.kind)])
            advertising.took(payload)
            noteHail()
        } catch {
            advertising.took(nil)
            trace.record(.radio, "advertisement refused", [TraceField(error)])
            // The log limits this warning by its cause, because anybody nearby can cause further
            // attempts, for example by connecting.
            logger.warning(
                "the advertisement was refused, going on without: \(error)",
                metadata: [LogMetadata.cause: "\(LogMetadata.anybodyNear)"])
        }
        if advertising.slot.payload != payload { advertising.calls.tookOld() }
    }

    /// Schedules the next expiration of an activity. The alarm also goes off earlier to check the
    /// wall clock, because somebody may set the clock.
    private func setRegistryAlarm() {
        let now = clock.unixTime
        let deadline = apps.registry.nextExpiry(after: now).map {
            clock.uptime + min(.seconds($0 - now), BeaconAdvertiser.clockCheckInterval)
        }
        schedule(.registry, at: deadline)
    }
}
