// SPDX-License-Identifier: Apache-2.0

/// Detects a HelloRetryRequest in a TLS server's first bytes, so that the channel can be closed.
///
/// A retry would cause a second ClientHello, which the knock does not protect. Pass every piece to
/// the guard *before* TLS gets it. The guard does not hold back any bytes.
public struct ServerHelloGuard: Sendable {
    /// The result so far.
    public enum Verdict: Hashable, Sendable {
        /// More bytes are needed. Bytes that have arrived may continue to TLS.
        case undecided
        /// An ordinary ServerHello, or a fatal alert. The guard is finished.
        case passed
        /// A HelloRetryRequest. Close the channel.
        case helloRetryRequest
        /// Bytes with which no TLS 1.3 server begins. Close the channel.
        case malformed
    }

    /// SHA-256 of "HelloRetryRequest", the random value of such a ServerHello.
    ///
    /// Source: RFC 8446, section 4.1.3.
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    /// The length of handshake type, length, version and random value.
    private static let neededByteCount = 1 + 3 + 2 + 32
    private static let alert: UInt8 = 21
    private static let handshake: UInt8 = 22
    private static let fatal: UInt8 = 2

    private var verdict = Verdict.undecided
    private var header: [UInt8] = []
    /// The number of bytes that are missing from the present record.
    private var remaining = 0
    private var message: [UInt8] = []
    private var isAlert = false

    /// Creates a guard for a new channel.
    public init() {}

    /// Inspects the next bytes from the server. The verdict does not change once it is decided.
    public mutating func inspect(_ bytes: some Sequence<UInt8>) -> Verdict {
        // All bytes of the channel pass through here, so they must cost nothing after the verdict.
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
            // TLS ends at a fatal alert. TLS may ignore any other alert, after which a
            // HelloRetryRequest could follow.
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
        // A server that refuses the connection sends an alert, which TLS reports better than this
        // guard could.
        case Self.alert where header[1] == 3 && remaining == 2 && message.isEmpty: isAlert = true
        default: verdict = .malformed
        }
    }
}
