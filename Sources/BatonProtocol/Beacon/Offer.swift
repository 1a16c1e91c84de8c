// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// An activity on another device of the circle that can be continued here.
public struct Offer: Hashable, Sendable, Identifiable {
    /// The device and the activity in hexadecimal: `0a1b2c3d-1122334455`.
    public var id: String { Self.id(device: device, activity: activity) }

    /// The first 4 bytes of the device's id.
    public var device: UInt32
    /// The keyed hash of the activity's team and type.
    public var activity: ActivityHash
    /// The team whose apps exchange the activity, empty for none; known when the type is.
    public var team: String?
    /// The activity's type, once it is known which one the hash stands for.
    public var type: String?
    /// The activity's title, once the device has told it.
    public var title: String?
    /// Whether there is a web page for a device without the app.
    public var hasWebpage: Bool
    /// Whether the activity takes continuation streams.
    public var supportsStreams: Bool
    /// Received signal strength in dBm, when known; follows larger changes only.
    public var signal: Int?
    /// The radio address to try first.
    public var address: String
    /// The PSM to dial there; 0 when the device accepts no channels.
    public var psm: UInt8
    /// The beacon's sequence.
    public var sequence: UInt32
    /// The sequence under which this very activity was first heard, as far as that can be told:
    /// another number is another activity of the type. A sequence also changes with a flag or the
    /// PSM, and stands for the same activity then.
    public var since: UInt32

    /// An offer with all of its properties.
    public init(
        device: UInt32, activity: ActivityHash, team: String?, type: String?, title: String?, hasWebpage: Bool,
        supportsStreams: Bool,
        signal: Int?, address: String, psm: UInt8, sequence: UInt32, since: UInt32? = nil
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

    /// The id of what a device offers.
    public static func id(device: UInt32, activity: ActivityHash) -> String {
        device.hexadecimal() + "-" + activity.description
    }
}

/// Where a device was heard.
public struct HeardAt: Hashable, Sendable {
    /// The radio address; of whoever sent the bytes, which a replay may have been.
    public var address: String
    /// The PSM that the device's beacon names; never 0.
    public var psm: UInt8
    /// Received signal strength in dBm, when known.
    public var signal: Int?

    /// A place where a device was heard.
    public init(address: String, psm: UInt8, signal: Int?) {
        self.address = address
        self.psm = psm
        self.signal = signal
    }
}
