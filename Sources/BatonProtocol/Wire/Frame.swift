// SPDX-License-Identifier: Apache-2.0

/// One message on an authenticated channel (`Documentation/Protocol/Session.md`, "Frames").
public enum Frame: Hashable, Sendable {
    /// What a device says of itself: first on a control channel, and again when it changes.
    case hello(Hello)
    /// Asks for the state of an activity.
    case continueRequest(ContinueRequest)
    /// Answers ``continueRequest(_:)``.
    case continueReply(ContinueReply)
    /// Reports whether the receiving app accepted what a reply brought.
    case continued(Continued)
    /// Asks for a pair of streams to a continued activity.
    case streamRequest(StreamRequest)
    /// Answers ``streamRequest(_:)``.
    case streamReply(StreamReply)
    /// The sender wants nothing more on this control channel.
    case goodbye(Goodbye)
    /// Redeems an invitation; the bytes are the circle's (`Documentation/Protocol/Circle.md`).
    case join([UInt8])
    /// Answers ``join(_:)``; the bytes are the circle's.
    case welcome([UInt8])
    /// Answers ``welcome(_:)``; the bytes are the circle's.
    case joined([UInt8])
    /// Joins a channel to a pair of streams.
    case attach(Attach)
    /// Accepts ``attach(_:)``.
    case attached(Attached)
    /// Bytes of a stream.
    case data(StreamData)
    /// How far a stream has been written to the app.
    case ack(Ack)
    /// A stream is over.
    case end(End)
    /// The app has all of a stream, and its end.
    case endAck
    /// A pair of streams is given up.
    case reset(Reset)
    /// Says again that the receiving app accepted, where the channel of the request has ended.
    case acceptance(Acceptance)
    /// Asks what the other device hears of this one, and how it reaches it.
    case probeRequest(ProbeRequest)
    /// Answers ``probeRequest(_:)``.
    case probeReply(ProbeReply)
    /// Tries a channel, which is good for nothing else; the other side answers with the same.
    case trial

    /// The most bytes that follow a length.
    public static let maximumLength = 1_048_576
}

/// Asks for the state of the activity with a hash.
public struct ContinueRequest: Hashable, Sendable {
    /// The asking side's number of this request.
    public var id: UInt64
    /// The activity's hash, 5 bytes.
    public var activity: [UInt8]

    /// A request for an activity's state.
    public init(id: UInt64, activity: [UInt8]) {
        self.id = id
        self.activity = activity
    }
}

/// Answers a ``ContinueRequest``.
public struct ContinueReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// The activity, or why not.
    public var result: Result<ContinueGrant, HandoffError>

    /// An answer to a request.
    public init(id: UInt64, result: Result<ContinueGrant, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// An activity as it was when it was asked for.
public struct ContinueGrant: Hashable, Sendable {
    /// How many bytes an instance has, and an id.
    public static let instanceLength = 16

    /// Names this very activity in later requests for streams, 16 bytes.
    public var instance: [UInt8]
    /// What travels of it.
    public var activity: EncodedActivity
    /// The instance that the activity began as, 16 bytes, if that is another; nil also from devices
    /// that do not say it.
    public var origin: [UInt8]?
    /// Names this grant among all of the instance, 16 bytes; nil from devices that do not say it.
    public var id: [UInt8]?

    /// An activity and its name.
    public init(instance: [UInt8], activity: EncodedActivity, origin: [UInt8]? = nil, id: [UInt8]? = nil) {
        self.instance = instance
        self.activity = activity
        self.origin = origin
        self.id = id
    }

    /// What says over another channel that it was accepted.
    public var acceptance: Acceptance { Acceptance(instance: instance, grant: id) }
}

/// Says whether the receiving app accepted what a ``ContinueReply`` brought.
public struct Continued: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// Whether the app accepted; `false` also when nobody waits for the reply any more.
    public var accepted: Bool

    /// A report on a continuation.
    public init(id: UInt64, accepted: Bool) {
        self.id = id
        self.accepted = accepted
    }
}

/// Says that the receiving app accepted an activity that was granted over another channel, which
/// has ended: a ``Continued`` that may not have arrived.
public struct Acceptance: Hashable, Sendable {
    /// ``ContinueGrant/instance``, 16 bytes.
    public var instance: [UInt8]
    /// ``ContinueGrant/id``, 16 bytes; nil where the grant has none.
    public var grant: [UInt8]?

    /// An acceptance of what was granted over another channel.
    public init(instance: [UInt8], grant: [UInt8]? = nil) {
        self.instance = instance
        self.grant = grant
    }
}

/// Asks for a pair of streams to a continued activity.
public struct StreamRequest: Hashable, Sendable {
    /// The asking side's number of this request.
    public var id: UInt64
    /// ``ContinueGrant/instance``, 16 bytes.
    public var instance: [UInt8]

    /// A request for a pair of streams.
    public init(id: UInt64, instance: [UInt8]) {
        self.id = id
        self.instance = instance
    }
}

/// Answers a ``StreamRequest``.
public struct StreamReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// What is needed to attach, or why not.
    public var result: Result<StreamGrant, HandoffError>

    /// An answer to a request.
    public init(id: UInt64, result: Result<StreamGrant, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// The right to attach one pair of streams.
public struct StreamGrant: Hashable, Sendable {
    /// How many bytes a token has.
    public static let tokenLength = 16

    /// To be shown in ``Attach``, 16 bytes; bound to the asking device, worth nothing after 60 s
    /// without use.
    public var token: [UInt8]
    /// Where to dial for the streams, at most 16.
    public var endpoints: [EndpointRecord]

    /// A right to attach.
    public init(token: [UInt8], endpoints: [EndpointRecord]) {
        self.token = token
        self.endpoints = endpoints
    }
}

/// Says that its sender wants nothing more on this channel: it awaits no reply and will make no
/// request.
public struct Goodbye: Hashable, Sendable {
    /// Why a channel is given up. An unknown reason is kept and means no more than the others do.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// A reason by its number on the wire.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Nothing was asked for 30 s.
        public static let idle = Reason(rawValue: 1)
        /// Another channel between the two devices stays.
        public static let duplicate = Reason(rawValue: 2)
        /// The daemon stops.
        public static let shutdown = Reason(rawValue: 3)
        /// The answer to the other's goodbye.
        public static let answer = Reason(rawValue: 4)
    }

    /// Why the channel is given up.
    public var reason: Reason

    /// A goodbye.
    public init(reason: Reason) { self.reason = reason }
}
