// SPDX-License-Identifier: Apache-2.0

/// A rule of the stream protocol that the peer broke.
struct StreamViolation: Error {
    let rule: String
    init(_ rule: String) { self.rule = rule }
}

/// The sending half of a pair of streams, which keeps the app's bytes until the peer acknowledges
/// them.
struct OutgoingStream: Sendable {
    /// The size in bytes up to which small writes are collected, so that an app can write single
    /// bytes cheaply.
    private static let gathering = 4_096

    private struct Chunk {
        let offset: UInt64
        var bytes: ArraySlice<UInt8>
        var end: UInt64 { offset + UInt64(bytes.count) }
    }

    private var chunks: [Chunk] = []
    /// The index of the first chunk that is still needed. Earlier chunks are removed in batches.
    private var first = 0
    /// The index of the chunk that contains the offset ``sent``, or the index after the last chunk.
    private var cursor = 0

    /// The offset up to which the peer has written the stream to its app.
    private(set) var acknowledged: UInt64 = 0
    /// The offset up to which the stream was sent on the present channel.
    private(set) var sent: UInt64 = 0
    /// The highest offset that was ever sent.
    private var everSent: UInt64 = 0
    /// The number of bytes from the app.
    private(set) var end: UInt64 = 0
    /// The offset up to which the peer accepts bytes.
    private var limit: UInt64 = 0
    private(set) var isEnded = false
    private var endSent = false
    /// Whether the peer's app has all bytes and the end of the stream.
    private(set) var endAcknowledged = false

    /// Returns how many more bytes may be taken from the app now.
    ///
    /// - Parameter maximum: The maximum number of unacknowledged bytes to keep.
    func capacity(keeping maximum: Int) -> Int {
        let room = min(limit, acknowledged + UInt64(maximum))
        return isEnded || room <= end ? 0 : Int(room - end)
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isEnded, !bytes.isEmpty else { return }
        if chunks.count > first, chunks[chunks.count - 1].bytes.count + bytes.count <= Self.gathering {
            chunks[chunks.count - 1].bytes.append(contentsOf: bytes)
            cursor = min(cursor, chunks.count - 1)
        } else {
            chunks.append(Chunk(offset: end, bytes: bytes))
        }
        end += UInt64(bytes.count)
    }

    mutating func finish() { isEnded = true }

    /// Attaches a new channel, over which everything from `nextOffset` on must be sent again.
    mutating func attach(nextOffset: UInt64, window: UInt32) throws(StreamViolation) {
        guard nextOffset <= everSent else { throw StreamViolation("a next offset beyond what was sent") }
        limit = try Self.limit(nextOffset, window)
        // The peer has these bytes. The peer will neither request nor acknowledge them again, even
        // if its earlier acknowledgements were lost.
        release(to: nextOffset)
        // An acknowledgement on the old channel may have overtaken the attachment of the new one.
        sent = max(nextOffset, acknowledged)
        endSent = false
        cursor = first
        moveCursor()
    }

    mutating func receive(_ ack: Ack) throws(StreamViolation) {
        // Do not compare with `sent`. The peer may have received more over the old channel than it
        // knew when it attached the new one.
        guard ack.offset <= everSent else { throw StreamViolation("an acknowledgement of what was not sent") }
        limit = max(limit, try Self.limit(ack.offset, ack.window))
        release(to: ack.offset)
    }

    mutating func receiveEndAck() throws(StreamViolation) {
        if endAcknowledged { return }
        guard endSent else { throw StreamViolation("an acknowledgement of an end that was not sent") }
        endAcknowledged = true
        release(to: end)
    }

    /// Returns the frames that can be sent now.
    mutating func frames(chunk maximum: Int) -> [Frame] {
        var frames: [Frame] = []
        while cursor < chunks.count, sent < limit {
            let chunk = chunks[cursor]
            let skipped = Int(sent - chunk.offset)
            let count = min(chunk.bytes.count - skipped, maximum, Int(clamping: limit - sent))
            let start = chunk.bytes.startIndex + skipped
            frames.append(.data(StreamData(offset: sent, bytes: chunk.bytes[start..<start + count])))
            sent += UInt64(count)
            if sent == chunk.end { cursor += 1 }
        }
        everSent = max(everSent, sent)
        if isEnded, sent == end, !endSent, !endAcknowledged {
            endSent = true
            frames.append(.end(End(offset: end)))
        }
        return frames
    }

    private mutating func release(to offset: UInt64) {
        guard offset > acknowledged else { return }
        acknowledged = offset
        while first < chunks.count, chunks[first].end <= offset {
            chunks[first].bytes = []
            first += 1
        }
        sent = max(sent, offset)
        cursor = max(cursor, first)
        moveCursor()
        // The cost is amortized: at most as many chunks are moved as have become free.
        if first * 2 >= chunks.count {
            chunks.removeFirst(first)
            cursor -= min(cursor, first)
            first = 0
        }
    }

    private mutating func moveCursor() {
        while cursor < chunks.count, chunks[cursor].end <= sent { cursor += 1 }
    }

    private static func limit(_ offset: UInt64, _ window: UInt32) throws(StreamViolation) -> UInt64 {
        guard window <= StreamMachine.maximumWindow else { throw StreamViolation("a window of more than 4 MiB") }
        let (limit, overflow) = offset.addingReportingOverflow(UInt64(window))
        guard !overflow else { throw StreamViolation("an offset beyond what 64 bits count") }
        return limit
    }
}
