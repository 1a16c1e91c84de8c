// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Logging

/// The advertisements of this device: its beacon, hails to silent members, and the advertisement of
/// a pairing.
///
/// A change of the beacon reserves sequence numbers in the state file before it uses them. Each
/// function that returns a `Bool` returns whether the radio must get another advertisement.
struct Advertising: Sendable {
    /// The state of the beacon; nil without a circle.
    private(set) var advertiser: BeaconAdvertiser?
    var keys = BeaconKeys()
    private(set) var hails = HailSchedule()
    /// The choice of the advertisement that is on the air.
    private(set) var slot = AdvertisementSlot()
    /// The calls that set the radio's advertisement.
    var calls = RadioCalls()
    /// The last logged reason why nothing is advertised; nil when advertising works.
    private var loggedFailure: String?
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Whether no new advertisement can begin before a sequence number is reserved.
    var lacksSequence: Bool { advertiser?.lacksSequence == true }

    private var isOffering: Bool { advertiser?.current.offered != nil }

    // MARK: - The beacon

    /// Takes the present beacon off the air, and begins with another one; nil for none.
    mutating func begin(
        with advertiser: BeaconAdvertiser?, _ store: inout StateStore, at now: BeaconAdvertiser.Moment
    ) -> Bool {
        self.advertiser = advertiser
        guard slot.ordinary != nil else { return false }
        return perform([.advertise(nil)], &store, at: now)
    }

    /// Forgets the beacon of the former identity. ``begin(with:_:at:)`` takes it off the air.
    mutating func forgetDevice() { advertiser = nil }

    /// Changes the beacon, if there is one.
    mutating func changeBeacon(
        _ store: inout StateStore, at now: BeaconAdvertiser.Moment,
        _ change: (inout BeaconAdvertiser) -> [BeaconAdvertiser.Action]
    ) -> Bool {
        guard var changed = advertiser else { return false }
        let actions = change(&changed)
        advertiser = changed
        return perform(actions, &store, at: now)
    }

    private mutating func perform(
        _ actions: [BeaconAdvertiser.Action], _ store: inout StateStore, at now: BeaconAdvertiser.Moment
    ) -> Bool {
        var (pending, isNew) = (actions, false)
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .advertise(let bytes):
                slot.advertise(bytes)
                hails.activityChanged(isAdvertised: isOffering, at: now.uptime)
                // Break off the hail, so that the activity is advertised at once.
                if isOffering { _ = breakOffHail(at: now.uptime) }
                isNew = isNew || slot.hail == nil
            case .reserve(let limit):
                do {
                    try store.update { $0.sequenceReserved = limit }
                    loggedFailure = nil
                    pending += advertiser?.reserved(upTo: limit, at: now) ?? []
                } catch {
                    advertiser?.reservationFailed(at: now)
                    // Log the same error only once, because each request of an app or a user tries
                    // the reservation again.
                    guard loggedFailure != "\(error)" else { continue }
                    loggedFailure = "\(error)"
                    logger.error("nothing is advertised: \(error)")
                }
            }
        }
        return isNew
    }

    // MARK: - Hails and pairing

    /// Replaces the devices to hail.
    ///
    /// - Parameters:
    ///   - awaited: Those of them for which programs wait.
    ///   - tellsRemoval: Whether a device may have missed a removal.
    mutating func hailTargetsChanged(
        to devices: Set<DeviceID>, awaited: Set<DeviceID>, tellsRemoval: Bool, at uptime: Duration
    ) {
        hails.tellsRemoval = tellsRemoval
        hails.targetsChanged(devices, awaited: awaited, at: uptime)
    }

    /// Hails all devices from the beginning, because the circle has changed.
    mutating func beginHailsAnew(at uptime: Duration) { hails.beginAnew(at: uptime) }

    /// Chooses the hail that is due, or else the ordinary advertisement.
    ///
    /// - Parameters:
    ///   - mayHail: Whether a hail may take the beacon's place.
    ///   - seal: Returns the hail to a device, or nil if it cannot be hailed now.
    mutating func hail(mayHail: Bool, at uptime: Duration, seal: (DeviceID) -> [UInt8]?) -> Bool {
        hails.activityChanged(isAdvertised: isOffering, at: uptime)
        let device = mayHail ? hails.device(at: uptime) : nil
        let hail = device.flatMap { device in seal(device).map { AdvertisementSlot.Hail(device: device, bytes: $0) } }
        guard slot.hail(hail) else { return false }
        if let hail { logger.debug("hailing \(hail.device)") }
        return true
    }

    /// Ends the present hail early, so that the ordinary advertisement is on the air.
    mutating func breakOffHail(at uptime: Duration) -> Bool {
        guard slot.hail(nil) else { return false }
        hails.breakOff(at: uptime)
        return true
    }

    /// Replaces the pairing's advertisement, or removes it.
    mutating func pair(_ bytes: [UInt8]?) -> Bool { slot.pair(bytes) }

    /// Records the payload that the radio took, or nil if it refused one.
    mutating func took(_ payload: [UInt8]?) { slot.took(payload) }
}
