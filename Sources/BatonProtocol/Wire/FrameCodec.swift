// SPDX-License-Identifier: Apache-2.0

/// Writes frames.
public enum FrameEncoder {
    /// A frame as it goes over the channel, length first.
    ///
    /// - Throws: ``WireError`` when the frame breaks a limit.
    public static func encode(_ frame: Frame) throws(WireError) -> [UInt8] { [] }

    /// What goes in front of `count` bytes of a stream, so that they can be sent without copying them into a frame.
    public static func dataHeader(offset: UInt64, count: Int) -> [UInt8] { [] }
}

/// Cuts what a channel brings into frames.
public struct FrameDecoder: Sendable {
    /// A decoder at the start of a channel.
    public init() {}

    /// Takes the next bytes of the channel, in pieces of any size.
    public mutating func append(_ bytes: some Collection<UInt8>) {}

    /// The next frame, or `nil` when more bytes are needed.
    ///
    /// - Throws: ``WireError``; the channel is then of no more use, and every later call throws the same.
    public mutating func next() throws(WireError) -> Frame? { nil }
}
