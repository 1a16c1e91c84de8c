// SPDX-License-Identifier: Apache-2.0

/// The time of the inviter's clock when a device joins a circle: the content of a `Joined` frame.
///
/// Source: `Documentation/Protocol/Circle.md`, "Joining".
public struct JoinedTime: Hashable, Sendable {
    /// The time in seconds since 1970.
    public var unixTime: Int64

    /// Creates a time from seconds since 1970.
    public init(_ unixTime: Int64) { self.unixTime = unixTime }

    /// Reads a frame's bytes; returns nil if they contain no time, as in frames of earlier
    /// versions.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        unixTime = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The bytes of the frame.
    public var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: unixTime >> (56 - 8 * $0)) } }
}
