// SPDX-License-Identifier: Apache-2.0

/// Says what a device is to advertise, and when.
///
/// Inputs return actions, to be carried out in order. Fields are told as they change; the sequence
/// follows from them. Nothing is advertised under a sequence whose reservation has not been
/// confirmed with ``reserved(upTo:at:)``, so none is ever used twice, not even after a crash.
public struct BeaconAdvertiser: Sendable {
    /// What the service is to do.
    public enum Action: Hashable, Sendable {
        /// Persist that sequences up to and including this one may have been used; then call
        /// ``BeaconAdvertiser/reserved(upTo:at:)``.
        case reserve(upTo: UInt32)
        /// Advertise exactly these 24 bytes at a new path, or nothing.
        case advertise([UInt8]?)
    }

    /// A moment on both clocks.
    public struct Moment: Hashable, Sendable {
        /// Seconds since 1970, as this device believes.
        public var unixTime: Int64
        /// Time that never goes back and goes on in suspend.
        public var uptime: Duration

        /// A moment on both clocks.
        public init(unixTime: Int64, uptime: Duration) {
            self.unixTime = unixTime
            self.uptime = uptime
        }
    }

    /// Sequences reserved at once.
    public static let reservationBlock: UInt32 = 1_024
    /// How long the end of an activity is advertised.
    public static let endedDuration = Duration.seconds(30)
    /// The longest time between two looks at the wall clock while something is advertised: it can
    /// be set at any moment.
    public static let clockCheckInterval = Duration.seconds(60)

    /// What a beacon says beside who says it and in which order; and which activity it speaks of,
    /// for which the order alone stands.
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
    /// The activity whose end is being advertised, and until when.
    private var ending: (hash: ActivityHash, until: Duration)?
    /// The highest sequence that may be used.
    private var reservedUpTo: UInt32
    private var awaitingReservation = false
    /// The last sequence used, or the persisted reservation at the start.
    private var sequence: UInt32
    /// What ``sequence`` stands for; kept through silence, so that a hello says what the last
    /// beacon said.
    private var sequenced: Fields?
    private var advertised: [UInt8]?
    private var deadline: Duration?

    /// An advertiser that is silent.
    ///
    /// - Parameters:
    ///   - device: The first 4 bytes of this device's id.
    ///   - secret: The circle's.
    ///   - reserved: The highest reservation ever persisted; 0 for a new device.
    public init(device: UInt32, secret: CircleSecret, reserved: UInt32) {
        self.device = device
        cipher = BeaconCipher(secret: secret)
        reservedUpTo = reserved
        sequence = reserved
    }

    /// Whether all sequences are used up: the device stays silent and needs a new identity. 4
    /// billion changes away.
    public var isExhausted: Bool { sequence == .max && wanted.map { $0 != sequenced } ?? false }

    /// Whether the next change of what is advertised needs another reservation.
    public var lacksSequence: Bool { sequence >= reservedUpTo }

    /// The uptime at which ``timePassed(at:)`` is due; `nil` while nothing changes by itself.
    public var nextDeadline: Duration? { deadline }

    /// The beacon in force, whose sequence and ``Beacon/offered`` an authenticated hello tells
    /// peers.
    ///
    /// In silence it is the last one: an end, or an idle one. Before the first: no activity, and a
    /// sequence lower than the next.
    public var current: Beacon {
        let fields = sequenced ?? Fields(activity: .none, flags: [], psm: psm)
        return Beacon(
            device: device, activity: fields.activity, flags: fields.flags, sequence: sequence, psm: fields.psm)
    }

    /// The activity to advertise changed; `nil` when there is none any more.
    ///
    /// - Parameters:
    ///   - hash: Its hash, which all activities of its type have.
    ///   - instance: What tells it from others of its type: another one takes the next sequence.
    ///   - flags: ``BeaconFlags/hasWebpage`` and ``BeaconFlags/supportsStreams``; others are
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

    /// Whether the device wants to be reachable without an activity: a stream that may have to be
    /// resumed, an open invitation, or a probe.
    public mutating func idleChanged(_ wanted: Bool, at moment: Moment) -> [Action] {
        idleWanted = wanted
        return timePassed(at: moment)
    }

    /// The PSM that accepts channels changed; 0 for none.
    public mutating func psmChanged(_ psm: UInt8, at moment: Moment) -> [Action] {
        self.psm = psm
        return timePassed(at: moment)
    }

    /// The circle has a new secret, under which the activity has a new hash.
    public mutating func secretChanged(
        _ secret: CircleSecret, activity hash: ActivityHash?, at moment: Moment
    ) -> [Action] {
        cipher = BeaconCipher(secret: secret)
        // An end is not repeated under the new secret: its hash would be an old one.
        ending = nil
        activity = hash.flatMap { hash in activity.map { (hash, $0.instance, $0.flags) } }
        sequenced = nil
        return timePassed(at: moment)
    }

    /// A reservation has been persisted.
    public mutating func reserved(upTo limit: UInt32, at moment: Moment) -> [Action] {
        awaitingReservation = false
        reservedUpTo = max(reservedUpTo, limit)
        return timePassed(at: moment)
    }

    /// A reservation could not be persisted: asked for again at the next change, and at the next
    /// deadline.
    public mutating func reservationFailed(at moment: Moment) {
        awaitingReservation = false
        deadline = moment.uptime + Self.clockCheckInterval
    }

    /// Time passed, or the wall clock was set.
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

    /// What should be on the air now; `nil` for silence.
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
