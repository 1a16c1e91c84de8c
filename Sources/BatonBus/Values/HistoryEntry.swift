// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A record of an app's activities of one type that went to another laptop within a period: one
/// element of `Daemon.History`.
public struct HistoryEntry: Hashable, Sendable {
    /// The time at which an activity first left in this period.
    public var first: Date
    /// The time at which an activity last left in this period.
    public var last: Date
    /// The id of the laptop that received the activities.
    public var device: String
    /// The name that the laptop had at that time.
    public var deviceName: String
    /// The id of the app that published the activities, or nil if it was not known.
    public var application: String?
    /// The type of the activities.
    public var type: String
    /// How often an activity left in this period.
    public var count: Int

    /// Creates an entry.
    public init(
        first: Date, last: Date, device: String, deviceName: String, application: String?, type: String, count: Int = 1
    ) {
        self.first = first
        self.last = last
        self.device = device
        self.deviceName = deviceName
        self.application = application
        self.type = type
        self.count = count
    }
}
