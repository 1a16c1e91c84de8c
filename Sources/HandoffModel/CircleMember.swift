// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One device of a circle.
public struct CircleMember: Hashable, Sendable {
    /// The device's id.
    public var device: String
    /// The device's name.
    public var name: String
    /// Whether the member is the device that answers the call.
    public var isThisDevice: Bool
    /// The ids of the devices that added this device, including former members. The list is empty
    /// for the founder.
    public var takenInBy: [String]
    /// Whether the device is in radio range. Only `Daemon.Status` fills in this property and the
    /// following properties.
    public var isNear: Bool
    /// When the device was last heard or connected, in whole seconds. The time is nil if neither
    /// happened since the daemon started.
    public var lastSeen: Date?
    /// The transports of the present connections to the device: `l2cap`, `tcp` or `simulated`.
    public var transports: [String]
    /// The time at which this device will answer a stopped device again. The time is nil if the
    /// user has not stopped the device.
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
