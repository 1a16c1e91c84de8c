// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The public keys of a device: one for TLS, one for statements, one for knocks.
public struct DeviceKeys: Hashable, Sendable {
    /// P-256 in X9.63 form, 65 bytes: the key of the device's certificate.
    public let certificateKey: [UInt8]
    /// Ed25519, 32 bytes: signs roster statements.
    public let signingKey: [UInt8]
    /// X25519, 32 bytes: agrees on pairwise keys.
    public let agreementKey: [UInt8]
    /// The device that these keys make.
    public let id: DeviceID

    /// Keys as received from elsewhere.
    ///
    /// - Throws: ``CircleError/malformed`` unless each is a valid key of its kind; keys of small
    ///   order, for which anybody can sign or agree, are none.
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

    /// SHA-256 of the certificate key: what an invitation pins.
    public var certificatePin: [UInt8] { Self.pin(of: certificateKey) }

    /// SHA-256 of a certificate key in X9.63 form.
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
