// SPDX-License-Identifier: Apache-2.0

/// The receiving half of a pair of streams.
///
/// This type tracks which bytes have arrived, which bytes were written to the app, and how far the
/// peer may send.
struct IncomingStream: Sendable {
    /// The offset and the window that this side announces to the peer on a new channel.
    struct Invitation: Hashable, Sendable {
        let nextOffset: UInt64
        let window: UInt32
        /// The number of bytes that were written to the app when the invitation was made.
        fileprivate let written: UInt64
        fileprivate var limit: UInt64 { nextOffset + UInt64(window) }
    }

    /// The offset of the first byte that has not arrived.
    private(set) var next: UInt64 = 0
    /// The offset of the first byte that was not written to the app.
    private(set) var written: UInt64 = 0
    private var end: UInt64?
    /// The offset up to which the peer may send on the present channel.
    private var limit: UInt64 = 0
    /// The value of ``written`` at the last acknowledgement, or when the present channel was
    /// attached.
    private var told: UInt64 = 0
    /// Whether the peer waits for an EndAck on the present channel.
    private(set) var endIsOpen = false

    /// Whether all bytes were written to the app.
    var isComplete: Bool { end == written }
    /// Whether the app has also read all bytes.
    ///
    /// Unread bytes would be lost if the file descriptor were closed.
    private(set) var isRead = false

    /// Returns the parameters for a new channel, which take effect with ``begin(_:)``.
    func invitation(window: UInt32) -> Invitation {
        // Bytes that wait for the app use up the window. If the window is smaller than before,
        // nothing may be left of it.
        let waiting = next - written
        return Invitation(nextOffset: next, window: window > waiting ? window - UInt32(waiting) : 0, written: written)
    }

    mutating func begin(_ invitation: Invitation) {
        limit = invitation.limit
        told = invitation.written
        endIsOpen = false
    }

    /// Processes bytes from the peer, and returns those that had not arrived before.
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

    /// Records that bytes were written to the app, at most as many as were waiting.
    mutating func wrote(_ count: Int) { written += min(UInt64(max(count, 0)), next - written) }

    /// Records that the app has read everything that was written to it.
    mutating func wasRead() { isRead = isComplete }

    /// Returns an acknowledgement if a quarter of the window was written since the last one; else
    /// nil.
    ///
    /// Acknowledgements are frequent enough that the peer need not stop, and rare enough to be
    /// cheap. The EndAck acknowledges the last bytes.
    mutating func acknowledgement(window: UInt32) -> Ack? {
        guard written - told >= UInt64(max(window / 4, 1)), !isComplete else { return nil }
        told = written
        limit = max(limit, written + UInt64(window))
        return Ack(offset: written, window: UInt32(clamping: limit - written))
    }

    /// Returns the last acknowledgement again; `nil` if the whole stream has arrived.
    func repeatedAcknowledgement() -> Ack? {
        end == nil ? Ack(offset: told, window: UInt32(clamping: limit - told)) : nil
    }

    mutating func endAcknowledgement() -> Frame {
        endIsOpen = false
        return .endAck
    }
}
