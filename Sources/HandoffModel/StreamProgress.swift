// SPDX-License-Identifier: Apache-2.0

/// The progress of a pair of continuation streams: the answer of `Activities.FollowStreams`, and
/// the signal `Activities.StreamProgress`.
public struct StreamProgress: Hashable, Sendable {
    /// The number of bytes that have arrived at the other device, of those that this device's app
    /// has written.
    public var sent: UInt64
    /// The number of bytes that have arrived at this device's app.
    public var received: UInt64
    /// The transport that carries the streams, or carried them last: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// Whether the connection has broken or stalled. The streams continue over the same connection
    /// or another one, or break.
    public var isWaiting: Bool

    /// Creates a progress.
    public init(sent: UInt64, received: UInt64, transport: String, isWaiting: Bool) {
        self.sent = sent
        self.received = received
        self.transport = transport
        self.isWaiting = isWaiting
    }
}
