// SPDX-License-Identifier: Apache-2.0

public import Diagnosis
public import FoundationEssentials

/// The state of the daemon: the answer of `Daemon.Status`.
public struct DaemonStatus: Hashable, Sendable {
    /// The daemon's version. The text is empty until the daemon fills it in.
    public var version: String
    /// The kind of radio: `bluez` or `simulated`.
    public var radio: String
    /// The state of the radio in one word, such as `ready` or `off`.
    public var radioCondition: String
    /// Why the radio cannot be used or does not work fully, or nil if it works.
    public var radioProblem: Finding?
    /// Why the daemon uses this radio.
    public var radioReason: String
    /// The names of the adapters in use, such as `hci0`.
    public var adapters: [String]
    /// This device's id.
    public var device: String
    /// This device's name.
    public var deviceName: String
    /// The circle's id, or nil if this device is in no circle.
    public var circle: String?
    /// Why this device is in no circle, or nil if it is in one.
    public var withoutCircle: Finding?
    /// One line that says why `Circle.Pair` would fail now, or nil if it would not fail.
    public var pairingRefusal: Finding?
    /// When pairing by digits is allowed again after failures, or nil if it is allowed now.
    public var pairingRefusedUntil: Date?
    /// The step of the running pairing, or nil if none runs.
    public var pairing: PairingPhase?
    /// The number of other devices that are pairing now and that this device hears.
    public var pairingNearby: Int
    /// The devices of the circle, including this device.
    public var members: [CircleMember]
    /// Whether TCP is used.
    public var tcp: Bool
    /// The addresses at which other devices can reach this device, for people and for tests.
    public var endpoints: [String]
    /// Whether the user has paused the device (`Rules.Pause`).
    ///
    /// A paused device advertises nothing, shows no offers, and continues nothing by itself.
    public var isPaused: Bool
    /// The time at which the pause ends, in whole seconds. The time is nil if there is no pause, or
    /// if only the user can end the pause.
    public var pausedUntil: Date?
    /// The problems that impair the service.
    public var findings: [Finding]
    /// The activity that this device offers now, or nil if there is none.
    public var offered: OwnOffer?
    /// The items that apps with adapters have open and that are not offered, ordered by adapter.
    public var withheld: [WithheldItem]
    /// The numbers of tasks, alarms and table entries that the daemon holds, by name.
    ///
    /// Tests watch whether these numbers grow.
    public var counts: [String: Int]

    /// Creates the status of a device, by default in no circle.
    public init(
        version: String = "", radio: String, radioCondition: String = "", radioProblem: Finding? = nil,
        radioReason: String = "", adapters: [String] = [], device: String, deviceName: String, circle: String? = nil,
        withoutCircle: Finding? = nil, pairingRefusal: Finding? = nil, pairingRefusedUntil: Date? = nil,
        pairing: PairingPhase? = nil, pairingNearby: Int = 0, members: [CircleMember] = [], tcp: Bool = false,
        endpoints: [String] = [], isPaused: Bool = false,
        pausedUntil: Date? = nil, findings: [Finding] = [], offered: OwnOffer? = nil, withheld: [WithheldItem] = [],
        counts: [String: Int] = [:]
    ) {
        self.version = version
        self.radio = radio
        self.radioCondition = radioCondition
        self.radioProblem = radioProblem
        self.radioReason = radioReason
        self.adapters = adapters
        self.device = device
        self.deviceName = deviceName
        self.circle = circle
        self.withoutCircle = withoutCircle
        self.pairingRefusal = pairingRefusal
        self.pairingRefusedUntil = pairingRefusedUntil
        self.pairing = pairing
        self.pairingNearby = pairingNearby
        self.members = members
        self.tcp = tcp
        self.endpoints = endpoints
        self.isPaused = isPaused
        self.pausedUntil = pausedUntil
        self.findings = findings
        self.offered = offered
        self.withheld = withheld
        self.counts = counts
    }
}

extension DaemonStatus {
    /// Whether a radio can be used. A simulated radio that replaces a missing one does not count,
    /// because it reaches no device.
    package var hasRadio: Bool {
        !["off", "absent", "unavailable"].contains(radioCondition)
            && !findings.contains { $0.code == FindingCode.radioSimulated.rawValue }
    }
}

/// A step of a pairing.
public struct PairingPhase: Hashable, Sendable, RawRepresentable {
    /// The word on the bus. Later versions may add more.
    public var rawValue: String
    /// Creates a step with this word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// This device looks for another device.
    public static let searching = PairingPhase(rawValue: "searching")
    /// Both devices show digits.
    public static let comparing = PairingPhase(rawValue: "comparing")
    /// Both users have confirmed the digits, and the devices exchange the circle.
    public static let joining = PairingPhase(rawValue: "joining")
    /// This device waits for a device that reads its code.
    public static let code = PairingPhase(rawValue: "code")
}

extension DaemonStatus {
    /// The status for programs that follow it, without the parts that change all the time. These
    /// are the counts, and the time when a device that is near or connected was last seen.
    package var forFollowers: DaemonStatus {
        var status = self
        status.counts = [:]
        for index in status.members.indices where members[index].isNear || !members[index].transports.isEmpty {
            status.members[index].lastSeen = nil
        }
        return status
    }

    /// The status for programs that may not manage this device.
    ///
    /// This status says whether Baton works, but nothing about other devices, other programs or the
    /// network.
    package var forUnprivileged: DaemonStatus {
        DaemonStatus(
            version: version, radio: radio, radioCondition: radioCondition, radioProblem: radioProblem, device: device,
            deviceName: deviceName, circle: circle, withoutCircle: withoutCircle, isPaused: isPaused,
            pausedUntil: pausedUntil)
    }
}
