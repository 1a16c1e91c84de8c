// SPDX-License-Identifier: Apache-2.0

/// Splits native messaging's byte stream into messages. Each consists of a length of 32 bits in
/// this machine's byte order, and that many bytes.
struct FrameReader {
    /// A part of the input.
    enum Frame: Hashable {
        /// A message.
        case message([UInt8])
        /// A message of more than ``maximumLength`` bytes, which was dropped.
        case tooLong
        /// Bytes that no browser sends. The start of the next message is unknown.
        case garbage
    }

    /// The longest message that is kept, in bytes. A page with its full place takes less than 16
    /// KiB.
    static let maximumLength = 64 << 10
    /// The longest message that browsers send, in bytes.
    static let maximumSent = 64 << 20

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// The number of bytes still missing from the message, or `nil` between messages.
    private var missing: Int?
    private var isTooLong = false

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: The completed parts. Nothing follows ``Frame/garbage``.
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

    /// Returns a message with its length in front, for the browser.
    ///
    /// - Parameter message: The message's bytes.
    static func framed(_ message: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
    }
}
