// SPDX-License-Identifier: Apache-2.0

/// What the sender's clock shows when a device joins a circle: the bytes of a `Joined`.
///
/// Source: `Documentation/Protocol/Circle.md`, "Joining".
public struct JoinedTime: Hashable, Sendable {
    /// Seconds since 1970.
    public var unixTime: Int64

    /// What a clock shows, in seconds since 1970.
    public init(_ unixTime: Int64) { self.unixTime = unixTime }

    /// From a frame's bytes; nil when they hold none, as those of an earlier version.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        unixTime = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The frame's bytes.
    public var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: unixTime >> (56 - 8 * $0)) } }
}
