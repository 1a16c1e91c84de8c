// SPDX-License-Identifier: Apache-2.0

/// The progress of a pair of streams, for people.
extension StreamMachine {
    /// The number of bytes that the peer has written to its app. After a failure, this is zero.
    public var sentCount: UInt64 { outgoing.acknowledged }

    /// The number of bytes that were written to the app.
    public var receivedCount: UInt64 { incoming.written }

    /// Whether the streams wait for another channel, or for a stalled one.
    public var isWaiting: Bool { phase == .running && (active == nil || watch.stall != nil) }
}
