// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The public keys of a device: one for TLS, one for statements, one for knocks.
public struct DeviceKeys: Hashable, Sendable {
    /// The key of the device's certificate: P-256 in X9.63 form, 65 bytes.
    public let certificateKey: [UInt8]
    /// The key that signs roster statements: Ed25519, 32 bytes.
    public let signingKey: [UInt8]
    /// The key for calculating pairwise keys: X25519, 32 bytes.
    public let agreementKey: [UInt8]
    /// The id that is derived from these keys.
    public let id: DeviceID

    /// Checks keys that were received.
    ///
    /// - Throws: ``CircleError/malformed`` unless each is a valid key of its kind. Keys of small
    ///   order are invalid, because anybody can make signatures and agreements for them.
    public init(certificateKey: [UInt8], signingKey: [UInt8], agreementKey: [UInt8]) throws {
        guard
            certificateKey.count == 65, signingKey.count == 32, agreementKey.count == 32,
            (try? P256.Signing.PublicKey(x963Representation: certificateKey)) != nil,
            (try? Curve25519.Signing.PublicKey(rawRepresentation: signingKey)) != nil,
            (try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: agreementKey)) != nil,
            !SmallOrder.isEd25519(signingKey), !SmallOrder.isX25519(agreementKey)
        else { throw CircleError.malformed("device keys") }
        self.init(checked: certificateKey, signingKey, agreementKey)
    }

    private init(checked certificateKey: [UInt8], _ signingKey: [UInt8], _ agreementKey: [UInt8]) {
        self.certificateKey = certificateKey
        self.signingKey = signingKey
        self.agreementKey = agreementKey
        id = DeviceID(digestOf: certificateKey, signingKey, agreementKey)
    }

    init(
        _ certificateKey: P256.Signing.PublicKey, _ signingKey: Curve25519.Signing.PublicKey,
        _ agreementKey: Curve25519.KeyAgreement.PublicKey
    ) {
        self.init(
            checked: Array(certificateKey.x963Representation), Array(signingKey.rawRepresentation),
            Array(agreementKey.rawRepresentation))
    }

    /// SHA-256 of the certificate key, which an invitation contains.
    public var certificatePin: [UInt8] { Self.pin(of: certificateKey) }

    /// Returns the SHA-256 of a certificate key in X9.63 form.
    public static func pin(of certificateKey: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: certificateKey)) }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signingKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

extension DeviceKeys {
    init(_ message: WireDeviceKeys) throws {
        try self.init(
            certificateKey: Array(message.certificateKey), signingKey: Array(message.signingKey),
            agreementKey: Array(message.agreementKey))
    }

    var message: WireDeviceKeys {
        var message = WireDeviceKeys()
        message.certificateKey = Data(certificateKey)
        message.signingKey = Data(signingKey)
        message.agreementKey = Data(agreementKey)
        return message
    }
}
