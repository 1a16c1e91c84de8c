// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The private keys of a device.
///
/// The keys are generated once and stored in the state file. They never leave the device.
public struct DeviceIdentity: Sendable {
    /// The key of the TLS certificate.
    public let certificateKey: P256.Signing.PrivateKey
    /// The key that signs roster statements.
    public let signingKey: Curve25519.Signing.PrivateKey
    /// The key for calculating pairwise keys.
    public let agreementKey: Curve25519.KeyAgreement.PrivateKey
    /// The public keys.
    public let keys: DeviceKeys
    /// The id of the device.
    public let id: DeviceID

    /// Creates a new device with new keys.
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
    /// The device's id, without its keys.
    public var description: String { "device \(id)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Hides the keys from `dump` and from failed tests.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
