// SPDX-License-Identifier: Apache-2.0

/// Messages of native messaging that come in pieces: each is a length of 32 bits in this machine's
/// byte order, and so many bytes.
struct FrameReader {
    /// What has come.
    enum Frame: Hashable {
        /// A message.
        case message([UInt8])
        /// One of more than ``maximumLength`` bytes, of which nothing was kept.
        case tooLong
        /// What no browser sends: where the next message begins cannot be known.
        case garbage
    }

    /// The longest message that is read, in bytes: a page with all of its place has less than 16
    /// KiB.
    static let maximumLength = 64 << 10
    /// The longest message that browsers send, in bytes.
    static let maximumSent = 64 << 20

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// How many bytes of the message are still to come; nil between messages.
    private var missing: Int?
    private var isTooLong = false

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: Any number of them.
    /// - Returns: What they complete; nothing follows ``Frame/garbage``.
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

    /// A message as the browser reads it.
    ///
    /// - Parameter message: The message's bytes.
    /// - Returns: They, with their length before them.
    static func framed(_ message: some Collection<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
    }
}
