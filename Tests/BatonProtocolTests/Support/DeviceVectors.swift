// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import BatonProtocol

/// A device of the vectors, with its private keys.
struct DeviceVector: Decodable {
    var name: String
    var certificatePrivate: Hex
    var signingPrivate: Hex
    var agreementPrivate: Hex
    var certificateKey: Hex
    var signingKey: Hex
    var agreementKey: Hex
    var id: Hex
    var number: UInt32

    /// Returns the device, after checking its public values against the vectors.
    func identity() throws -> DeviceIdentity {
        let identity = DeviceIdentity(
            certificateKey: try P256.Signing.PrivateKey(rawRepresentation: certificatePrivate.bytes),
            signingKey: try Curve25519.Signing.PrivateKey(rawRepresentation: signingPrivate.bytes),
            agreementKey: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: agreementPrivate.bytes))
        let keys = identity.keys
        #expect(
            [keys.certificateKey, keys.signingKey, keys.agreementKey]
                == [certificateKey, signingKey, agreementKey].map(\.bytes))
        #expect(identity.id.bytes == id.bytes && identity.id.short == number, "\(name)")
        return identity
    }
}

extension [DeviceVector] {
    func identity(_ name: String) throws -> DeviceIdentity {
        try #require(first { $0.name == name }).identity()
    }
}
