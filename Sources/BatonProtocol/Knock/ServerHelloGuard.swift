// SPDX-License-Identifier: Apache-2.0

/// Watches the first bytes that a TLS server sends for a HelloRetryRequest, with which the channel
/// is closed.
///
/// A retry would bring a second ClientHello, to which the knock is not bound. Show the guard every
/// piece *before* TLS gets it; it holds nothing back.
public struct ServerHelloGuard: Sendable {
    /// What is known so far.
    public enum Verdict: Hashable, Sendable {
        /// Not enough was seen; all of it may go on to TLS.
        case undecided
        /// An ordinary ServerHello, or a fatal alert: the guard has done its work.
        case passed
        /// A HelloRetryRequest: close.
        case helloRetryRequest
        /// Not what a TLS 1.3 server begins with: close.
        case malformed
    }

    /// SHA-256 of "HelloRetryRequest": the random of a ServerHello that is one (RFC 8446, section
    /// 4.1.3).
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    /// Handshake type, length, version and random.
    private static let neededByteCount = 1 + 3 + 2 + 32
    private static let alert: UInt8 = 21
    private static let handshake: UInt8 = 22
    private static let fatal: UInt8 = 2

    private var verdict = Verdict.undecided
    private var header: [UInt8] = []
    /// Bytes of the present record that are still to come.
    private var remaining = 0
    private var message: [UInt8] = []
    private var isAlert = false

    /// A guard for a fresh channel.
    public init() {}

    /// Looks at the next bytes from the server; the verdict, once reached, does not change.
    public mutating func inspect(_ bytes: some Sequence<UInt8>) -> Verdict {
        // All that the channel ever sends passes here: once the guard has decided, no byte may cost
        // anything.
        guard verdict == .undecided else { return verdict }
        for byte in bytes {
            take(byte)
            if verdict != .undecided { break }
        }
        return verdict
    }

    private mutating func take(_ byte: UInt8) {
        guard remaining == 0 else {
            remaining -= 1
            // TLS ends with a fatal alert. Any other it may pass over, and a HelloRetryRequest
            // could follow.
            guard !isAlert else { return verdict = byte == Self.fatal ? .passed : .malformed }
            message.append(byte)
            if message.count == 1, byte != 2 { verdict = .malformed }
            if message.count == Self.neededByteCount {
                verdict = equalInConstantTime(message[6...], Self.retryRandom) ? .helloRetryRequest : .passed
            }
            return
        }
        header.append(byte)
        guard header.count == 5 else { return }
        remaining = Int(header[3]) << 8 | Int(header[4])
        switch header[0] {
        case Self.handshake where header[1] == 3 && (1...16_384).contains(remaining): header = []
        // A server that refuses says so with an alert, which TLS reports better than this guard
        // could.
        case Self.alert where header[1] == 3 && remaining == 2 && message.isEmpty: isAlert = true
        default: verdict = .malformed
        }
    }
}
