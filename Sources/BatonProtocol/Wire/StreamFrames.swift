// SPDX-License-Identifier: Apache-2.0

/// Joins a channel to a pair of streams; the dialler's first frame on it.
public struct Attach: Hashable, Sendable {
    /// ``StreamGrant/token``, 16 bytes.
    public var token: [UInt8]
    /// Counts the channels that this pair has had, from 1; a higher one replaces a lower.
    public var generation: UInt32
    /// The first byte that the sender of this frame has not received.
    public var nextOffset: UInt64
    /// How many bytes from ``nextOffset`` on the sender of this frame takes.
    public var window: UInt32

    /// A request to join a channel to a pair of streams.
    public init(token: [UInt8], generation: UInt32, nextOffset: UInt64, window: UInt32) {
        self.token = token
        self.generation = generation
        self.nextOffset = nextOffset
        self.window = window
    }
}

/// Accepts an ``Attach``.
public struct Attached: Hashable, Sendable {
    /// The first byte that the sender of this frame has not received.
    public var nextOffset: UInt64
    /// How many bytes from ``nextOffset`` on the sender of this frame takes.
    public var window: UInt32

    /// An accepted attachment.
    public init(nextOffset: UInt64, window: UInt32) {
        self.nextOffset = nextOffset
        self.window = window
    }
}

/// Bytes of a stream.
public struct StreamData: Hashable, Sendable {
    /// The most bytes that one frame carries.
    public static let maximumLength = 524_288

    /// The place of the first of ``bytes`` in the stream.
    public var offset: UInt64
    /// 1 to ``maximumLength`` bytes. A slice, because what is received shares the memory of the
    /// frame it came in.
    public var bytes: ArraySlice<UInt8>

    /// Bytes of a stream.
    public init(offset: UInt64, bytes: ArraySlice<UInt8>) {
        self.offset = offset
        self.bytes = bytes
    }
}

/// Says how far a stream has been written to the receiving app's descriptor.
public struct Ack: Hashable, Sendable {
    /// The first byte that has not been written yet.
    public var offset: UInt64
    /// How many bytes from ``offset`` on the sender of this frame takes.
    public var window: UInt32

    /// An acknowledgement.
    public init(offset: UInt64, window: UInt32) {
        self.offset = offset
        self.window = window
    }
}

/// Says that a stream is over.
public struct End: Hashable, Sendable {
    /// How many bytes the stream had in all.
    public var offset: UInt64

    /// The end of a stream.
    public init(offset: UInt64) { self.offset = offset }
}

/// Gives up a pair of streams.
public struct Reset: Hashable, Sendable {
    /// Why streams are given up. An unknown reason is kept, and means no more than
    /// ``applicationFailed`` does.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// A reason by its number on the wire.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The app closed or broke its descriptor.
        public static let applicationFailed = Reason(rawValue: 1)
        /// The other side broke a rule of the protocol.
        public static let protocolViolation = Reason(rawValue: 2)
        /// No such token: never issued, for another device, used up or too old.
        public static let unknownToken = Reason(rawValue: 3)
        /// An attachment of this or a higher generation was there before.
        public static let staleGeneration = Reason(rawValue: 4)
        /// Nobody resumed the streams in time.
        public static let timedOut = Reason(rawValue: 5)
        /// The app that the streams were for did not take them in time.
        public static let notTaken = Reason(rawValue: 6)
        /// The other side stops, or the two are in one circle no more.
        public static let stopped = Reason(rawValue: 7)
    }

    /// Why the streams are given up.
    public var reason: Reason

    /// A reset.
    public init(reason: Reason) { self.reason = reason }
}
