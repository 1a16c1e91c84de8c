// SPDX-License-Identifier: Apache-2.0

/// One message on an authenticated channel (`Documentation/Protocol/Session.md`, "Frames").
public enum Frame: Hashable, Sendable {
    /// A device's description of itself: first on a control channel, and again after each change.
    case hello(Hello)
    /// Requests the state of an activity.
    case continueRequest(ContinueRequest)
    /// Answers ``continueRequest(_:)``.
    case continueReply(ContinueReply)
    /// Reports whether the receiving app accepted an activity.
    case continued(Continued)
    /// Requests a pair of streams to a continued activity.
    case streamRequest(StreamRequest)
    /// Answers ``streamRequest(_:)``.
    case streamReply(StreamReply)
    /// Announces that the sender no longer needs this control channel.
    case goodbye(Goodbye)
    /// Uses an invitation. The bytes are specified in `Documentation/Protocol/Circle.md`.
    case join([UInt8])
    /// Answers ``join(_:)``, with bytes of the circle.
    case welcome([UInt8])
    /// Answers ``welcome(_:)``, with bytes of the circle.
    case joined([UInt8])
    /// Attaches a channel to a pair of streams.
    case attach(Attach)
    /// Accepts ``attach(_:)``.
    case attached(Attached)
    /// Bytes of a stream.
    case data(StreamData)
    /// Acknowledges the bytes of a stream that were written to the app.
    case ack(Ack)
    /// Ends a stream.
    case end(End)
    /// Confirms that the receiving app has read a stream to its end.
    case endAck
    /// Abandons a pair of streams.
    case reset(Reset)
    /// Repeats that the receiving app accepted, after the channel of the request has ended.
    case acceptance(Acceptance)
    /// Asks how the other device hears and reaches this one.
    case probeRequest(ProbeRequest)
    /// Answers ``probeRequest(_:)``.
    case probeReply(ProbeReply)
    /// Tests a channel that has no other use. The other side answers with the same frame.
    case trial
    /// Announces the sender's current activity over a link that both sides keep.
    case offer(LinkOffer)
    /// Asks the side that dials a pair of streams to attach another channel.
    case reattach(Reattach)

    /// The maximum length of a frame, in bytes, without the length field.
    public static let maximumLength = 1_048_576
}

/// A request for the state of the activity with a hash.
public struct ContinueRequest: Hashable, Sendable {
    /// The requesting side's number for this request.
    public var id: UInt64
    /// The activity's hash, 5 bytes.
    public var activity: [UInt8]

    /// Creates a request for an activity's state.
    public init(id: UInt64, activity: [UInt8]) {
        self.id = id
        self.activity = activity
    }
}

/// The answer to a ``ContinueRequest``.
public struct ContinueReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// The activity, or the reason for the failure.
    public var result: Result<ContinueGrant, HandoffError>

    /// Creates an answer to a request.
    public init(id: UInt64, result: Result<ContinueGrant, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// An activity in the state that it had when it was requested.
public struct ContinueGrant: Hashable, Sendable {
    /// The length of an instance and of an id, in bytes.
    public static let instanceLength = 16

    /// The 16 bytes that name this activity in later requests for streams.
    public var instance: [UInt8]
    /// The encoded activity.
    public var activity: EncodedActivity
    /// The instance with which the activity began, 16 bytes.
    ///
    /// The origin is nil if it is the same as ``instance``, or if the device does not send it.
    public var origin: [UInt8]?
    /// The 16 bytes that identify this grant of the instance; nil if they were not sent.
    public var id: [UInt8]?

    /// Creates a grant.
    public init(instance: [UInt8], activity: EncodedActivity, origin: [UInt8]? = nil, id: [UInt8]? = nil) {
        self.instance = instance
        self.activity = activity
        self.origin = origin
        self.id = id
    }

    /// The message that reports the acceptance of this grant over another channel.
    public var acceptance: Acceptance { Acceptance(instance: instance, grant: id) }
}

/// The report on whether the receiving app accepted the activity in a ``ContinueReply``.
public struct Continued: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// Whether the app accepted; `false` also if the request was cancelled.
    public var accepted: Bool

    /// Creates a report.
    public init(id: UInt64, accepted: Bool) {
        self.id = id
        self.accepted = accepted
    }
}

/// A report that the receiving app accepted an activity, after the channel of its grant has ended.
///
/// An acceptance repeats a ``Continued`` that perhaps has not arrived.
public struct Acceptance: Hashable, Sendable {
    /// ``ContinueGrant/instance``, 16 bytes.
    public var instance: [UInt8]
    /// ``ContinueGrant/id``, 16 bytes; nil if the grant has none.
    public var grant: [UInt8]?

    /// Creates an acceptance.
    public init(instance: [UInt8], grant: [UInt8]? = nil) {
        self.instance = instance
        self.grant = grant
    }
}

/// A request for a pair of streams to a continued activity.
public struct StreamRequest: Hashable, Sendable {
    /// The requesting side's number for this request.
    public var id: UInt64
    /// ``ContinueGrant/instance``, 16 bytes.
    public var instance: [UInt8]

    /// Creates a request for a pair of streams.
    public init(id: UInt64, instance: [UInt8]) {
        self.id = id
        self.instance = instance
    }
}

/// The answer to a ``StreamRequest``.
public struct StreamReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// The data for an attachment, or the reason for the failure.
    public var result: Result<StreamGrant, HandoffError>

    /// Creates an answer to a request.
    public init(id: UInt64, result: Result<StreamGrant, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// The permission to attach one pair of streams.
public struct StreamGrant: Hashable, Sendable {
    /// The length of a token, in bytes.
    public static let tokenLength = 16

    /// The token for ``Attach``, 16 bytes.
    ///
    /// The token belongs to the requesting device, and expires after 60 s.
    public var token: [UInt8]
    /// The endpoints to dial for the streams, at most 16.
    public var endpoints: [EndpointRecord]

    /// Creates a permission.
    public init(token: [UInt8], endpoints: [EndpointRecord]) {
        self.token = token
        self.endpoints = endpoints
    }
}

/// The announcement that the sender makes no more requests on this channel, and awaits no replies.
public struct Goodbye: Hashable, Sendable {
    /// The reasons to end a channel. An unknown reason is kept, and has no special meaning.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// Creates a reason from its number on the wire.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Nothing was requested for 30 s.
        public static let idle = Reason(rawValue: 1)
        /// Another channel between the two devices stays.
        public static let duplicate = Reason(rawValue: 2)
        /// The daemon stops.
        public static let shutdown = Reason(rawValue: 3)
        /// The answer to the other side's goodbye.
        public static let answer = Reason(rawValue: 4)
        /// The user has paused Baton or is away, or the device is about to sleep.
        public static let muted = Reason(rawValue: 5)
    }

    /// The reason to end the channel.
    public var reason: Reason

    /// Creates a goodbye.
    public init(reason: Reason) { self.reason = reason }
}
