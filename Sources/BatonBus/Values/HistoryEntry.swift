// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A record of activities that left this laptop: one element of `Daemon.History`.
public struct HistoryEntry: Hashable, Sendable {
    /// The time at which the activity left for the first time.
    public var first: Date
    /// The time at which the activity left for the last time.
    public var last: Date
    /// The id of the laptop that received the activity.
    public var device: String
    /// The name of that laptop at that time.
    public var deviceName: String
    /// The id of the app that published the activity, or nil if it was not known.
    public var application: String?
    /// The activity's type.
    public var type: String
    /// The number of times that the activity left in this period.
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
