// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The secret that every member of a circle shares: what beacons are sealed with. 32 bytes.
///
/// It proves membership and nothing more; which member, only a ``PairwiseKey`` and TLS prove.
public struct CircleSecret: Sendable, Hashable {
    /// Bytes in a secret.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// A fresh secret from the system's generator.
    public init() {
        bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }

    /// A stored or received secret; `nil` unless it has exactly 32 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A pairwise key in the place of a circle's secret.
    init(pairwise bytes: [UInt8]) { self.bytes = bytes }

    /// The 32 bytes: for the state file, and for members inside TLS. Nowhere else.
    public var secretBytes: [UInt8] { bytes }

    /// HKDF-SHA256 (RFC 5869) of the secret with an empty salt.
    func derive(_ info: [UInt8], byteCount: Int) -> [UInt8] {
        hkdf(bytes, salt: [], info: info, byteCount: byteCount)
    }
}

extension CircleSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is, without its bytes.
    public var description: String { "CircleSecret(redacted)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Shows nothing, so that `dump` and a failed test do not print the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// HKDF-SHA256 (RFC 5869) as every key of the protocol is made.
func hkdf(_ key: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key), salt: salt, info: info, outputByteCount: byteCount
    ).withUnsafeBytes { Array($0) }
}
