// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// An activity seen on another device: one element of `Offers.List`.
public struct OfferSummary: Hashable, Sendable {
    /// The offer's id, of this daemon's making; it stays the same while the offer lasts.
    public var offer: String
    /// The id of the device that offers it.
    public var device: String
    /// That device's name.
    public var deviceName: String
    /// The team whose apps exchange the activity, empty for none; `nil` while it is unknown here.
    public var team: String?
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
    /// The id of the app here that would continue it; `nil` when there is none.
    public var application: String?

    /// An offer.
    public init(
        offer: String, device: String, deviceName: String, team: String? = nil, type: String? = nil,
        title: String? = nil, signal: Int? = nil, hasWebpage: Bool = false, supportsStreams: Bool = false,
        application: String? = nil
    ) {
        self.offer = offer
        self.device = device
        self.deviceName = deviceName
        self.team = team
        self.type = type
        self.title = title
        self.signal = signal
        self.hasWebpage = hasWebpage
        self.supportsStreams = supportsStreams
        self.application = application
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
    /// The id of the app in which an adapter goes on with it, as the user is shown; `nil` for what
    /// no adapter is given, or where none is known.
    public var application: String?

    /// A fetched activity.
    public init(
        continuation: String, activity: ActivityState, device: String, deviceName: String, transport: String,
        application: String? = nil
    ) {
        self.continuation = continuation
        self.activity = activity
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
        self.application = application
    }
}

/// A pair of continuation streams: the answer of `Offers.OpenStreams` and `Activities.TakeStreams`.
public struct OpenedStreams: Sendable {
    /// The id of the pair, as in ``ActivityEvent/streamEnded(stream:complete:error:)``.
    public var stream: String
    /// What carries it at first: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// One end of a Unix stream socket; `shutdown(SHUT_WR)` ends what this side sends. End of file
    /// does not mean whole: that says ``ActivityEvent/streamEnded(stream:complete:error:)``.
    public var descriptor: StreamDescriptor

    /// A pair of streams.
    public init(stream: String, transport: String, descriptor: StreamDescriptor) {
        self.stream = stream
        self.transport = transport
        self.descriptor = descriptor
    }
}

/// How an offer is to be opened: the options of `Offers.Open`.
public struct OpenOptions: Hashable, Sendable {
    /// The app that is to continue it; `nil` leaves the choice to the daemon.
    public var application: String?
    /// What lets the app's window come to the front, as the desktop gave it to the caller.
    public var activationToken: String?
    /// How long the other device may take; `nil` leaves it to the daemon.
    public var timeout: Duration?

    /// Options.
    public init(application: String? = nil, activationToken: String? = nil, timeout: Duration? = nil) {
        self.application = application
        self.activationToken = activationToken
        self.timeout = timeout
    }
}

/// Who took an activity over: the answer of `Offers.Open`.
public enum OpenedOffer: Hashable, Sendable {
    /// An app, by its id.
    case application(String)
    /// The default browser, with this address.
    case webpage(String)
}
