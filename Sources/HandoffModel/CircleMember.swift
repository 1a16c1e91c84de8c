// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One device of a circle.
public struct CircleMember: Hashable, Sendable {
    /// The device's id.
    public var device: String
    /// The device's name.
    public var name: String
    /// Whether it is the device that answers the call.
    public var isThisDevice: Bool
    /// The ids of the devices that added it, also former members; empty for the founder.
    public var takenInBy: [String]
    /// Whether it is in radio range. Only `Daemon.Status` fills in this property and the next ones.
    public var isNear: Bool
    /// When it was last heard or connected, in whole seconds; nil if not since the daemon started.
    public var lastSeen: Date?
    /// The transports of its present connections: `l2cap`, `tcp` or `simulated`.
    public var transports: [String]
    /// When this device will answer it again, after the user stopped it; nil if it is not stopped.
    public var stoppedUntil: Date?

    /// Creates a member.
    public init(
        device: String, name: String, isThisDevice: Bool = false, takenInBy: [String] = [], isNear: Bool = false,
        lastSeen: Date? = nil, transports: [String] = [], stoppedUntil: Date? = nil
    ) {
        self.isNear = isNear
        self.lastSeen = lastSeen
        self.transports = transports
        self.stoppedUntil = stoppedUntil
        self.device = device
        self.name = name
        self.isThisDevice = isThisDevice
        self.takenInBy = takenInBy
    }
}
