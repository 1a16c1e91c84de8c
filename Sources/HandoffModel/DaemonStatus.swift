// SPDX-License-Identifier: Apache-2.0

public import Diagnosis
public import FoundationEssentials

/// The condition of the daemon: the answer of `Daemon.Status`.
public struct DaemonStatus: Hashable, Sendable {
    /// The daemon's version; empty where the daemon has not put it in yet.
    public var version: String
    /// The kind of radio: `bluez` or `simulated`.
    public var radio: String
    /// The radio's condition in one word, such as `ready` or `off`.
    public var radioCondition: String
    /// One line about the radio for people.
    public var radioSummary: String
    /// Why this radio was picked.
    public var radioReason: String
    /// The adapters in use, such as `hci0`.
    public var adapters: [String]
    /// This device's id.
    public var device: String
    /// This device's name.
    public var deviceName: String
    /// The circle's id; `nil` when this device is in none.
    public var circle: String?
    /// Why this device is in no circle, and what to do, in one line; `nil` when it is in one.
    public var withoutCircle: String?
    /// Why `Circle.Pair` is refused now, in one line; `nil` when it is not.
    public var pairingRefusal: String?
    /// The devices of the circle, this one included.
    public var members: [CircleMember]
    /// Whether TCP is used.
    public var tcp: Bool
    /// Where this device can be reached, for people and for tests.
    public var endpoints: [String]
    /// Whether the user has paused it (`Rules.Pause`): it advertises nothing, and shows and
    /// continues nothing by itself.
    public var isPaused: Bool
    /// When the pause is over, to the second; `nil` when there is none, or it lasts until the user
    /// ends it.
    public var pausedUntil: Date?
    /// What degrades the service.
    public var findings: [Finding]
    /// What adapters' apps have open that is not offered, by adapter.
    public var withheld: [WithheldItem]
    /// How much the daemon has of what comes and goes (tasks, alarms, entries of tables), by name:
    /// for those who watch whether it grows.
    public var counts: [String: Int]

    /// The status of a device in no circle.
    public init(
        version: String = "", radio: String, radioCondition: String = "", radioSummary: String = "",
        radioReason: String = "", adapters: [String] = [], device: String, deviceName: String, circle: String? = nil,
        withoutCircle: String? = nil, pairingRefusal: String? = nil, members: [CircleMember] = [], tcp: Bool = false,
        endpoints: [String] = [], isPaused: Bool = false,
        pausedUntil: Date? = nil, findings: [Finding] = [], withheld: [WithheldItem] = [],
        counts: [String: Int] = [:]
    ) {
        self.version = version
        self.radio = radio
        self.radioCondition = radioCondition
        self.radioSummary = radioSummary
        self.radioReason = radioReason
        self.adapters = adapters
        self.device = device
        self.deviceName = deviceName
        self.circle = circle
        self.withoutCircle = withoutCircle
        self.pairingRefusal = pairingRefusal
        self.members = members
        self.tcp = tcp
        self.endpoints = endpoints
        self.isPaused = isPaused
        self.pausedUntil = pausedUntil
        self.findings = findings
        self.withheld = withheld
        self.counts = counts
    }
}

extension DaemonStatus {
    /// What degrades the service, one line each.
    public var warnings: [String] { findings.map(\.text) }

    /// What programs are told that may not manage this device: whether it works, and nothing of
    /// other devices, other programs or the network.
    package var forUnprivileged: DaemonStatus {
        DaemonStatus(
            version: version, radio: radio, radioCondition: radioCondition, radioSummary: radioSummary, device: device,
            deviceName: deviceName, circle: circle, withoutCircle: withoutCircle, isPaused: isPaused,
            pausedUntil: pausedUntil)
    }
}
