// SPDX-License-Identifier: Apache-2.0

/// Splits the byte stream of native messaging into messages. A message has a length of 32 bits in
/// this machine's byte order, followed by that many bytes.
struct FrameReader {
    enum Frame: Hashable {
        /// A message.
        case message([UInt8])
        /// A message of more than ``maximumLength`` bytes, which was dropped.
        case tooLong
        /// Bytes that no browser sends. It is unknown where the next message begins.
        case garbage
    }

    /// The longest message that is kept, in bytes. A message about a page with all values of its
    /// place takes less than 16 KiB.
    static let maximumLength = 64 << 10
    /// The longest message that browsers send, in bytes.
    static let maximumSent = 64 << 20

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// The number of bytes still missing from the message, or `nil` between messages.
    private var missing: Int?
    private var isTooLong = false

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: The parts that are complete now. No further part follows ``Frame/garbage``.
    mutating func take(_ bytes: some Collection<UInt8>) -> [Frame] {
        var (rest, frames): ([UInt8].SubSequence, [Frame]) = (Array(bytes)[...], [])
        while true {
            if missing == nil {
                let count = min(rest.count, 4 - header.count)
                header += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard header.count == 4 else { return frames }
                guard begin() else { return frames + [.garbage] }
            }
            let count = min(rest.count, missing ?? 0)
            if !isTooLong { body += rest.prefix(count) }
            rest = rest.dropFirst(count)
            missing = (missing ?? 0) - count
            guard missing == 0 else { return frames }
            frames.append(isTooLong ? .tooLong : .message(body))
            (header, body, missing, isTooLong) = ([], [], nil, false)
        }
    }

    private mutating func begin() -> Bool {
        let length = header.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        guard length <= Self.maximumSent else { return false }
        (missing, isTooLong) = (length, length > Self.maximumLength)
        return true
    }

    /// Returns the bytes to send to the browser: a message with its length in front.
    static func framed(_ message: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
    }
}
