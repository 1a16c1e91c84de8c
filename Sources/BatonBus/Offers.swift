// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// An activity seen on another device: one element of `Offers.List`.
public struct OfferSummary: Hashable, Sendable {
    /// The offer's id, of this daemon's making; it stays the same while the offer lasts.
    public var offer: String
    /// The id of the device that offers it.
    public var device: String
    /// That device's name.
    public var deviceName: String
    /// The activity type; `nil` while it is unknown here.
    public var type: String?
    /// The title, when it is known.
    public var title: String?
    /// The signal strength in dBm; `nil` when the radio does not say.
    public var signal: Int?
    /// Whether the activity has a web page.
    public var hasWebpage: Bool
    /// Whether the activity supports continuation streams.
    public var supportsStreams: Bool

    /// An offer.
    public init(
        offer: String, device: String, deviceName: String, type: String? = nil, title: String? = nil,
        signal: Int? = nil, hasWebpage: Bool = false, supportsStreams: Bool = false
    ) {
        self.offer = offer
        self.device = device
        self.deviceName = deviceName
        self.type = type
        self.title = title
        self.signal = signal
        self.hasWebpage = hasWebpage
        self.supportsStreams = supportsStreams
    }
}

/// An activity that was fetched from another device: the answer of `Offers.Continue`.
public struct ContinuedActivity: Hashable, Sendable {
    /// The continuation's id, for `accept`, `openStreams` and `cancel`.
    public var continuation: String
    /// What the other device handed over.
    public var activity: ActivityState
    /// The id of the device that it came from.
    public var device: String
    /// That device's name.
    public var deviceName: String
    /// What carried it: `l2cap`, `tcp` or `simulated`.
    public var transport: String

    /// A fetched activity.
    public init(
        continuation: String, activity: ActivityState, device: String, deviceName: String, transport: String
    ) {
        self.continuation = continuation
        self.activity = activity
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
    }
}

/// A pair of continuation streams: the answer of `Offers.OpenStreams`.
public struct OpenedStreams: Sendable {
    /// The id of the pair, as in ``ActivityEvent/streamEnded(stream:complete:error:)``.
    public var stream: String
    /// What carries it at first: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// One end of a Unix stream socket; `shutdown(SHUT_WR)` ends what this side sends.
    public var descriptor: StreamDescriptor

    /// A pair of streams.
    public init(stream: String, transport: String, descriptor: StreamDescriptor) {
        self.stream = stream
        self.transport = transport
        self.descriptor = descriptor
    }
}
