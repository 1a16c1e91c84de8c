// SPDX-License-Identifier: Apache-2.0

/// The request to attach a channel to a pair of streams.
///
/// An Attach is the dialler's first frame on the channel.
public struct Attach: Hashable, Sendable {
    /// ``StreamGrant/token``, 16 bytes.
    public var token: [UInt8]
    /// The serial number of the channel among the pair's channels, from 1.
    ///
    /// A channel with a higher number replaces the previous channel.
    public var generation: UInt32
    /// The offset of the first byte that the sender of this frame has not received.
    public var nextOffset: UInt64
    /// The number of bytes from ``nextOffset`` on that the sender of this frame accepts.
    public var window: UInt32

    /// Creates a request to attach a channel.
    public init(token: [UInt8], generation: UInt32, nextOffset: UInt64, window: UInt32) {
        self.token = token
        self.generation = generation
        self.nextOffset = nextOffset
        self.window = window
    }
}

/// The answer that accepts an ``Attach``.
public struct Attached: Hashable, Sendable {
    /// The offset of the first byte that the sender of this frame has not received.
    public var nextOffset: UInt64
    /// The number of bytes from ``nextOffset`` on that the sender of this frame accepts.
    public var window: UInt32

    /// Creates an answer.
    public init(nextOffset: UInt64, window: UInt32) {
        self.nextOffset = nextOffset
        self.window = window
    }
}

/// The request to attach another channel to a pair of streams, because its present one has stalled.
///
/// The responder sends it on a control channel.
public struct Reattach: Hashable, Sendable {
    /// ``StreamGrant/token``, 16 bytes.
    public var token: [UInt8]
    /// ``Attach/generation`` of the channel that has stalled.
    public var generation: UInt32

    /// Creates a request for another channel.
    public init(token: [UInt8], generation: UInt32) {
        self.token = token
        self.generation = generation
    }
}

/// Bytes of a stream.
public struct StreamData: Hashable, Sendable {
    /// The maximum number of bytes in one frame.
    public static let maximumLength = 524_288

    /// The offset of the first of ``bytes`` in the stream.
    public var offset: UInt64
    /// 1 to ``maximumLength`` bytes.
    ///
    /// The bytes are a slice, because received bytes share the frame's memory.
    public var bytes: ArraySlice<UInt8>

    /// Creates a frame with bytes of a stream.
    public init(offset: UInt64, bytes: ArraySlice<UInt8>) {
        self.offset = offset
        self.bytes = bytes
    }
}

/// The acknowledgement of bytes that were written to the receiving app's file descriptor.
public struct Ack: Hashable, Sendable {
    /// The offset of the first byte that was not written yet.
    public var offset: UInt64
    /// The number of bytes from ``offset`` on that the sender of this frame accepts.
    public var window: UInt32

    /// Creates an acknowledgement.
    public init(offset: UInt64, window: UInt32) {
        self.offset = offset
        self.window = window
    }
}

/// The end of a stream.
public struct End: Hashable, Sendable {
    /// The total number of bytes in the stream.
    public var offset: UInt64

    /// Creates the end of a stream.
    public init(offset: UInt64) { self.offset = offset }
}

/// The frame that abandons a pair of streams.
public struct Reset: Hashable, Sendable {
    /// The reasons to abandon streams.
    ///
    /// An unknown reason is kept, and treated like ``applicationFailed``.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// Creates a reason from its number on the wire.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The app closed or broke its file descriptor.
        public static let applicationFailed = Reason(rawValue: 1)
        /// The receiver of this frame broke a rule of the protocol.
        public static let protocolViolation = Reason(rawValue: 2)
        /// The token is unknown: it was never issued, belongs to another device, was used, or has
        /// expired.
        public static let unknownToken = Reason(rawValue: 3)
        /// There was already an attachment of this or a higher generation.
        public static let staleGeneration = Reason(rawValue: 4)
        /// The streams were not resumed in time.
        public static let timedOut = Reason(rawValue: 5)
        /// The receiving app did not take the streams in time.
        public static let notTaken = Reason(rawValue: 6)
        /// The sender of this frame stops, or the two devices are no longer in one circle.
        public static let stopped = Reason(rawValue: 7)
    }

    /// The reason to abandon the streams.
    public var reason: Reason

    /// Creates a reset.
    public init(reason: Reason) { self.reason = reason }
}
