// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// An activity on another device of the circle that can be continued here.
public struct Offer: Hashable, Sendable, Identifiable {
    /// The device and the activity in hexadecimal, such as `0a1b2c3d-1122334455`.
    public var id: String { Self.id(device: device, activity: activity) }

    /// The first 4 bytes of the device's id.
    public var device: UInt32
    /// The keyed hash of the activity's team and type.
    public var activity: ActivityHash
    /// The team whose apps exchange the activity; empty for none, nil while it is unknown.
    public var team: String?
    /// The activity's type; nil until it is known.
    public var type: String?
    /// The activity's title; nil until the device has named it.
    public var title: String?
    /// Whether the activity has a web page, which a device without the app can open.
    public var hasWebpage: Bool
    /// Whether the activity supports continuation streams.
    public var supportsStreams: Bool
    /// The signal strength in dBm; nil if it is unknown. Small changes are ignored.
    public var signal: Int?
    /// The radio address to try first; nil if the device sends the offer over a link only.
    public var address: String?
    /// The PSM to dial at ``address``; 0 if the device accepts no channels.
    public var psm: UInt8
    /// The sequence number of the beacon.
    public var sequence: UInt32
    /// The sequence number of the first beacon with this activity, as far as this device knows.
    ///
    /// A different number means a different activity of the same type. When only a flag or the PSM
    /// changes, ``sequence`` changes, but this number stays the same.
    public var since: UInt32

    /// Creates an offer.
    public init(
        device: UInt32, activity: ActivityHash, team: String?, type: String?, title: String?, hasWebpage: Bool,
        supportsStreams: Bool,
        signal: Int?, address: String?, psm: UInt8, sequence: UInt32, since: UInt32? = nil
    ) {
        self.device = device
        self.activity = activity
        self.team = team
        self.type = type
        self.title = title
        self.hasWebpage = hasWebpage
        self.supportsStreams = supportsStreams
        self.signal = signal
        self.address = address
        self.psm = psm
        self.sequence = sequence
        self.since = since ?? sequence
    }

    /// Returns the id of a device's offer.
    public static func id(device: UInt32, activity: ActivityHash) -> String {
        device.hexadecimal() + "-" + activity.description
    }
}

/// An address at which a device was heard.
public struct HeardAt: Hashable, Sendable {
    /// The radio address of the sender, which may have replayed the device's bytes.
    public var address: String
    /// The PSM in the device's beacon, never 0.
    public var psm: UInt8
    /// The signal strength in dBm; nil if it is unknown.
    public var signal: Int?

    /// Creates a place at which a device was heard.
    public init(address: String, psm: UInt8, signal: Int?) {
        self.address = address
        self.psm = psm
        self.signal = signal
    }
}
