// SPDX-License-Identifier: Apache-2.0

/// The half of a stream pair that this side receives: how far it came, how far the app has it, how
/// far the peer may go.
struct IncomingStream: Sendable {
    /// What a channel is told when it is attached.
    struct Invitation: Hashable, Sendable {
        let nextOffset: UInt64
        let window: UInt32
        /// How far the app had the stream then.
        fileprivate let written: UInt64
        fileprivate var limit: UInt64 { nextOffset + UInt64(window) }
    }

    /// The first byte that has not come.
    private(set) var next: UInt64 = 0
    /// The first byte that the app does not have.
    private(set) var written: UInt64 = 0
    private var end: UInt64?
    /// How far the peer may send on the present channel.
    private var limit: UInt64 = 0
    /// What the peer was told last of ``written``.
    private var told: UInt64 = 0
    /// Whether the peer waits for an EndAck on the present channel.
    private(set) var endIsOpen = false

    /// Whether the app has all that there is.
    var isComplete: Bool { end == written }
    /// Whether it has also read it: what lies in its descriptor would be lost with it.
    private(set) var isRead = false

    /// What to tell a new channel; it counts from ``begin(_:)`` on.
    func invitation(window: UInt32) -> Invitation {
        // What waits for the app takes up room; a smaller window than before leaves none until that
        // has been written.
        let waiting = next - written
        return Invitation(nextOffset: next, window: window > waiting ? window - UInt32(waiting) : 0, written: written)
    }

    mutating func begin(_ invitation: Invitation) {
        limit = invitation.limit
        told = invitation.written
        endIsOpen = false
    }

    /// - Returns: The bytes that had not come yet.
    mutating func receive(_ data: StreamData) throws(StreamViolation) -> ArraySlice<UInt8> {
        let (dataEnd, overflow) = data.offset.addingReportingOverflow(UInt64(data.bytes.count))
        guard !overflow else { throw StreamViolation("an offset beyond what 64 bits count") }
        guard data.offset <= next else { throw StreamViolation("a gap") }
        guard dataEnd <= next || dataEnd <= limit else { throw StreamViolation("more than the window") }
        if let end, dataEnd > end { throw StreamViolation("data after the end") }
        guard dataEnd > next else { return [] }
        let fresh = data.bytes.suffix(Int(dataEnd - next))
        next = dataEnd
        return fresh
    }

    mutating func receive(_ end: End) throws(StreamViolation) {
        guard end.offset == next else { throw StreamViolation("an end that is not where the stream is") }
        self.end = end.offset
        endIsOpen = true
    }

    /// Takes note of what was written to the app, as far as it can have been.
    mutating func wrote(_ count: Int) { written += min(UInt64(max(count, 0)), next - written) }

    /// Takes note that the app has read all that was written to it.
    mutating func wasRead() { isRead = isComplete }

    /// An acknowledgement, when a quarter of the window has been written since the last: often
    /// enough that the peer never stops for want of one, and seldom enough to cost nothing. What is
    /// less than that is covered by the EndAck.
    mutating func acknowledgement(window: UInt32) -> Ack? {
        guard written - told >= UInt64(max(window / 4, 1)), !isComplete else { return nil }
        told = written
        limit = max(limit, written + UInt64(window))
        return Ack(offset: written, window: UInt32(clamping: limit - written))
    }

    mutating func endAcknowledgement() -> Frame {
        endIsOpen = false
        return .endAck
    }
}
