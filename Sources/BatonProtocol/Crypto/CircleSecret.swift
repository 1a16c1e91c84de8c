// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The secret of 32 bytes that all members of a circle share, and that seals beacons.
///
/// The secret proves that a device is a member, but not which member. Only a ``PairwiseKey`` and
/// TLS prove which member it is.
public struct CircleSecret: Sendable, Hashable {
    /// The length of a secret, in bytes.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// Creates a new secret with the system's random generator.
    public init() { bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    /// Reads a stored or received secret; returns `nil` unless it has exactly 32 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(pairwise bytes: [UInt8]) { self.bytes = bytes }

    /// The 32 bytes. Only write them to the state file, or send them to members inside TLS.
    public var secretBytes: [UInt8] { bytes }

    /// Derives bytes from the secret with HKDF-SHA256 (RFC 5869) and an empty salt.
    func derive(_ info: [UInt8], byteCount: Int) -> [UInt8] {
        hkdf(bytes, salt: [], info: info, byteCount: byteCount)
    }
}

extension CircleSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the bytes.
    public var description: String { "CircleSecret(redacted)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Hides the secret from `dump` and from failed tests.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Derives a key of the protocol with HKDF-SHA256 (RFC 5869).
func hkdf(_ key: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key), salt: salt, info: info, outputByteCount: byteCount
    ).withUnsafeBytes { Array($0) }
}
