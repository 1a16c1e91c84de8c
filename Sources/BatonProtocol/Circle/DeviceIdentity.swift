// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A device's private keys. They are made once, kept in the state file, and never leave the device.
public struct DeviceIdentity: Sendable {
    /// The key of the TLS certificate.
    public let certificateKey: P256.Signing.PrivateKey
    /// The key that signs roster statements.
    public let signingKey: Curve25519.Signing.PrivateKey
    /// The key that agrees on pairwise keys.
    public let agreementKey: Curve25519.KeyAgreement.PrivateKey
    /// The public half.
    public let keys: DeviceKeys
    /// Who this is.
    public let id: DeviceID

    /// A new device.
    public init() {
        self.init(
            certificateKey: P256.Signing.PrivateKey(), signingKey: Curve25519.Signing.PrivateKey(),
            agreementKey: Curve25519.KeyAgreement.PrivateKey())
    }

    init(
        certificateKey: P256.Signing.PrivateKey, signingKey: Curve25519.Signing.PrivateKey,
        agreementKey: Curve25519.KeyAgreement.PrivateKey
    ) {
        self.certificateKey = certificateKey
        self.signingKey = signingKey
        self.agreementKey = agreementKey
        keys = DeviceKeys(certificateKey.publicKey, signingKey.publicKey, agreementKey.publicKey)
        id = keys.id
    }

    func signature(for message: [UInt8]) throws -> [UInt8] {
        Array(try signingKey.signature(for: message))
    }
}

extension DeviceIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the device; never its keys.
    public var description: String { "device \(id)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Shows nothing, so that `dump` and a failed test do not print the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
