// SPDX-License-Identifier: Apache-2.0

/// The facts about a transport that decide how a service uses it alongside others.
///
/// A service never asks which transport it has, but only for these facts.
public struct TransportTraits: Hashable, Sendable {
    /// The devices that a transport reaches.
    public enum Range: Hashable, Sendable {
        /// Devices within reach of the radio. The addresses of such devices are known from their
        /// advertisements.
        case radio
        /// Devices that a network reaches. Such devices tell each other the addresses at which they
        /// listen.
        case network
    }

    /// The transport's name.
    public var kind: TransportKind
    /// The devices that the transport reaches.
    public var range: Range
    /// The maximum number of a stream's bytes that may be in transit. A network allows more bytes
    /// than a radio, because there only memory limits the number
    /// (Decisions/0004-stream-windows.md).
    public var streamWindow: UInt32
    /// The maximum number of bytes of a stream in one frame.
    public var streamChunk: Int
    /// The time between the dial of one endpoint of a device and the dial of the next.
    public var pauseBetweenDials: Duration
    /// The number of times that one endpoint is dialled before the dial fails.
    public var dialAttempts: Int

    /// Creates the facts about a transport.
    public init(
        kind: TransportKind, range: Range, streamWindow: UInt32, streamChunk: Int, pauseBetweenDials: Duration,
        dialAttempts: Int
    ) {
        self.kind = kind
        self.range = range
        self.streamWindow = streamWindow
        self.streamChunk = streamChunk
        self.pauseBetweenDials = pauseBetweenDials
        self.dialAttempts = dialAttempts
    }
}
