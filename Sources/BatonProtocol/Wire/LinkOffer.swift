// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The current activity of a device, which the device sends over a link that both sides keep.
///
/// Source: `Documentation/Protocol/Session.md`, "Offer".
public struct LinkOffer: Hashable, Sendable {
    /// The maximum length of a title, in UTF-8 bytes.
    public static let maximumTitleLength = ActivityState.maximumTitleLength

    /// The sequence number of the sender's beacon.
    public var sequence: UInt32
    /// The activity's hash, 5 bytes; `nil` if nothing is offered over this link.
    public var activity: [UInt8]?
    /// The flags of the beacon that describe the activity.
    public var flags: BeaconFlags
    /// The activity's title, 1 to ``maximumTitleLength`` bytes; `nil` if the sender does not send
    /// it.
    public var title: String?

    /// Creates an offer. Flags that do not describe an activity are dropped.
    public init(sequence: UInt32, activity: [UInt8]?, flags: BeaconFlags = [], title: String? = nil) {
        self.sequence = sequence
        self.activity = activity
        self.flags = flags.intersection([.hasWebpage, .supportsStreams])
        self.title = title
    }
}
