// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One device of a circle.
public struct CircleMember: Hashable, Sendable {
    /// The device's id.
    public var device: String
    /// The device's name.
    public var name: String
    /// Whether it is the device that answers.
    public var isThisDevice: Bool
    /// The ids of the devices that took it in, be they members still or not; none for the circle's
    /// founder.
    public var takenInBy: [String]
    /// Whether it is in the radio's range; only in `Daemon.Status`, as what follows.
    public var isNear: Bool
    /// When it was last heard, or connected, to the second; `nil` for not since the daemon began.
    public var lastSeen: Date?
    /// What it is connected over now: `l2cap`, `tcp` or `simulated`.
    public var transports: [String]
    /// Until when this device gives it nothing, because the user stopped it; `nil` if it gets what
    /// it asks for.
    public var stoppedUntil: Date?

    /// A member.
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
