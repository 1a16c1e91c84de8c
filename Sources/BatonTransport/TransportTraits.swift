// SPDX-License-Identifier: Apache-2.0

/// The facts about a transport that decide how a service uses it beside others.
///
/// A service never asks which transport it has. It asks for these facts.
public struct TransportTraits: Hashable, Sendable {
    /// Which devices a transport reaches, and how their endpoints become known.
    public enum Range: Hashable, Sendable {
        /// Devices nearby. Their advertisements show where they are.
        case radio
        /// Devices to which a network leads. They tell each other where they listen.
        case network
    }

    /// The transport's name.
    public var kind: TransportKind
    /// Which devices it reaches.
    public var range: Range
    /// How many bytes of a stream may be under way: more on a network, where only memory limits
    /// them (Decisions/0004-stream-windows.md).
    public var streamWindow: UInt32
    /// The most bytes of a stream in one frame.
    public var streamChunk: Int
    /// How long a dial of a device's next endpoint waits for the dial before it.
    public var pauseBetweenDials: Duration
    /// How often one endpoint is dialled before the dial fails.
    public var dialAttempts: Int

    /// The facts about a transport.
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
