// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Something that left this laptop: one element of `Daemon.History`.
public struct HistoryEntry: Hashable, Sendable {
    /// When it left for the first time, and for the last.
    public var first: Date
    /// See ``first``.
    public var last: Date
    /// The id of the laptop that got it.
    public var device: String
    /// What that laptop was called then.
    public var deviceName: String
    /// The id of the app that published it; nil where that was not known.
    public var application: String?
    /// The activity's type.
    public var type: String
    /// How often it left within that time.
    public var count: Int

    /// One.
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
