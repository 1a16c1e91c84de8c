// SPDX-License-Identifier: Apache-2.0

/// Decides what a device advertises, and when.
///
/// The caller reports changes of the beacon's fields, and carries out the returned actions in
/// order. A sequence number is advertised only after its reservation was persisted
/// (``reserved(upTo:at:)``). So no number is ever used twice, not even after a crash.
public struct BeaconAdvertiser: Sendable {
    /// An action for the service.
    public enum Action: Hashable, Sendable {
        /// Persist that sequence numbers up to this one may have been used.
        ///
        /// Then call ``BeaconAdvertiser/reserved(upTo:at:)``.
        case reserve(upTo: UInt32)
        /// Advertise exactly these 24 bytes, or nothing if there are none.
        case advertise([UInt8]?)
    }

    /// A point in time on the wall clock and the uptime clock.
    public struct Moment: Hashable, Sendable {
        /// Seconds since 1970, by this device's clock.
        public var unixTime: Int64
        /// The time since boot, including suspend. The time never goes back.
        public var uptime: Duration

        /// Creates a point in time.
        public init(unixTime: Int64, uptime: Duration) {
            self.unixTime = unixTime
            self.uptime = uptime
        }
    }

    /// The number of sequence numbers in one reservation.
    public static let reservationBlock: UInt32 = 1_024
    /// How long the end of an activity is advertised.
    public static let endedDuration = Duration.seconds(30)
    /// The longest time between two checks of the wall clock while something is advertised.
    ///
    /// The checks detect that the clock was set, which may change the beacon's epoch.
    public static let clockCheckInterval = Duration.seconds(60)

    /// The fields of a beacon except the device and the sequence number.
    ///
    /// The activity's instance is not advertised, but a new instance gets a new sequence number.
    private struct Fields: Hashable {
        var activity: ActivityHash
        var flags: BeaconFlags
        var psm: UInt8
        var instance: [UInt8] = []
    }

    /// The first 4 bytes of this device's id.
    public let device: UInt32
    private var cipher: BeaconCipher
    private var activity: (hash: ActivityHash, instance: [UInt8], flags: BeaconFlags)?
    private var idleWanted = false
    private var psm: UInt8 = 0
    /// The activity whose end is advertised, and the uptime at which that stops.
    private var ending: (hash: ActivityHash, until: Duration)?
    /// The highest sequence number that may be used.
    private var reservedUpTo: UInt32
    private var awaitingReservation = false
    /// The last sequence number that was used, or the persisted reservation at the start.
    private var sequence: UInt32
    /// The fields that were last advertised with ``sequence``; nil if none were under the present
    /// secret.
    ///
    /// The fields are kept while nothing is advertised, so that a hello agrees with the last
    /// beacon.
    private var sequenced: Fields?
    private var advertised: [UInt8]?
    private var deadline: Duration?

    /// Creates a silent advertiser.
    ///
    /// - Parameters:
    ///   - device: The first 4 bytes of this device's id.
    ///   - secret: The circle's secret.
    ///   - reserved: The highest reservation that was ever persisted; 0 for a new device.
    public init(device: UInt32, secret: CircleSecret, reserved: UInt32) {
        self.device = device
        cipher = BeaconCipher(secret: secret)
        reservedUpTo = reserved
        sequence = reserved
    }

    /// Whether the beacon must change and no sequence number is left.
    ///
    /// The device then advertises nothing until it has a new identity.
    ///
    /// Using up all numbers takes 4 billion changes.
    public var isExhausted: Bool { sequence == .max && wanted.map { $0 != sequenced } ?? false }

    /// Whether the next change of the advertisement needs another reservation.
    public var lacksSequence: Bool { sequence >= reservedUpTo }

    /// The uptime at which ``timePassed(at:)`` is due; `nil` if nothing is due.
    public var nextDeadline: Duration? { deadline }

    /// The latest beacon.
    ///
    /// A hello inside TLS tells peers this beacon's sequence number and ``Beacon/offered``.
    ///
    /// While nothing is advertised, this is the last beacon under the present secret. Before the
    /// first beacon, this has no activity, and a lower sequence number than the first beacon will
    /// have.
    public var current: Beacon {
        let fields = sequenced ?? Fields(activity: .none, flags: [], psm: psm)
        return Beacon(
            device: device, activity: fields.activity, flags: fields.flags, sequence: sequence, psm: fields.psm)
    }

    /// Sets the activity to advertise; `nil` if there is none any more.
    ///
    /// - Parameters:
    ///   - hash: The activity's hash, which all activities of its type share.
    ///   - instance: Bytes that distinguish activities of the same type. A new instance gets the
    ///     next sequence number.
    ///   - flags: ``BeaconFlags/hasWebpage`` and ``BeaconFlags/supportsStreams``. Other flags are
    ///     dropped.
    public mutating func activityChanged(
        _ hash: ActivityHash?, of instance: [UInt8], flags: BeaconFlags = [], at moment: Moment
    ) -> [Action] {
        if let hash, hash != .none {
            activity = (hash, instance, flags.intersection([.hasWebpage, .supportsStreams]))
            ending = nil
        } else if let ended = activity {
            activity = nil
            ending = (ended.hash, moment.uptime + Self.endedDuration)
        }
        return timePassed(at: moment)
    }

    /// Sets whether the device wants to be reachable without an activity.
    ///
    /// The device must be reachable for a stream that may have to be resumed, for an open
    /// invitation, and during a probe.
    public mutating func idleChanged(_ wanted: Bool, at moment: Moment) -> [Action] {
        idleWanted = wanted
        return timePassed(at: moment)
    }

    /// Sets the PSM that accepts channels; 0 for none.
    public mutating func psmChanged(_ psm: UInt8, at moment: Moment) -> [Action] {
        self.psm = psm
        return timePassed(at: moment)
    }

    /// Sets the circle's new secret, and the activity's hash under it.
    public mutating func secretChanged(
        _ secret: CircleSecret, activity hash: ActivityHash?, at moment: Moment
    ) -> [Action] {
        cipher = BeaconCipher(secret: secret)
        // Do not advertise an activity's end under the new secret, because the activity's hash
        // belongs to the old secret.
        ending = nil
        activity = hash.flatMap { hash in activity.map { (hash, $0.instance, $0.flags) } }
        sequenced = nil
        return timePassed(at: moment)
    }

    /// Records that a reservation was persisted.
    public mutating func reserved(upTo limit: UInt32, at moment: Moment) -> [Action] {
        awaitingReservation = false
        reservedUpTo = max(reservedUpTo, limit)
        return timePassed(at: moment)
    }

    /// Records that a reservation could not be persisted. The next change or deadline tries again.
    public mutating func reservationFailed(at moment: Moment) {
        awaitingReservation = false
        deadline = moment.uptime + Self.clockCheckInterval
    }

    /// Updates the advertisement after a deadline, or after the wall clock was set.
    public mutating func timePassed(at moment: Moment) -> [Action] {
        if let ending, ending.until <= moment.uptime { self.ending = nil }
        guard let wanted else {
            deadline = nil
            return advertise(nil)
        }
        if wanted != sequenced {
            guard sequence < .max else {
                deadline = nil
                sequenced = nil
                return advertise(nil)
            }
            guard sequence < reservedUpTo else {
                deadline = moment.uptime + Self.clockCheckInterval
                guard !awaitingReservation else { return [] }
                awaitingReservation = true
                let (limit, overflow) = sequence.addingReportingOverflow(Self.reservationBlock)
                return [.reserve(upTo: overflow ? .max : limit)]
            }
            sequence += 1
            sequenced = wanted
        }
        deadline = nextDeadline(after: moment)
        let beacon = Beacon(
            device: device, activity: wanted.activity, flags: wanted.flags, sequence: sequence, psm: wanted.psm)
        return advertise(cipher.seal(beacon, at: moment.unixTime))
    }

    /// The fields to advertise now; `nil` to advertise nothing.
    private var wanted: Fields? {
        if let activity {
            return Fields(activity: activity.hash, flags: activity.flags, psm: psm, instance: activity.instance)
        }
        if let ending { return Fields(activity: ending.hash, flags: .ended, psm: psm) }
        if idleWanted { return Fields(activity: .none, flags: .idle, psm: psm) }
        return nil
    }

    private mutating func advertise(_ bytes: [UInt8]?) -> [Action] {
        guard bytes != advertised else { return [] }
        advertised = bytes
        return [.advertise(bytes)]
    }

    private func nextDeadline(after moment: Moment) -> Duration {
        let length = BeaconCipher.epochSeconds
        let elapsed = (moment.unixTime % length + length) % length
        var next = min(moment.uptime + .seconds(length - elapsed), moment.uptime + Self.clockCheckInterval)
        if let ending { next = min(next, ending.until) }
        return next
    }
}
