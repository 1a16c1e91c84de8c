// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import BatonProtocol

@Suite struct DeviceKeysTests {
    let keys = DeviceIdentity().keys

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    /// The encodings of points of small order, as papers on these curves list them, with and
    /// without the top bit.
    private static let prime = ["ec", "ed", "ee"].map { $0 + String(repeating: "ff", count: 30) + "7f" }
    private static let small = ["00", "01"].map { $0 + String(repeating: "00", count: 31) }
    static let ed25519 =
        prime + small + [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ]
    static let x25519 =
        prime + small + [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ]

    @Test("A signing key of small order is rejected", arguments: ed25519)
    func smallSigningKeyIsRefused(hexadecimal: String) {
        for top in [0, 0x80] as [UInt8] {
            var key = Self.bytes(hexadecimal)
            key[31] |= top
            expectRefusal(.malformed) {
                try DeviceKeys(
                    certificateKey: keys.certificateKey, signingKey: key, agreementKey: keys.agreementKey)
            }
        }
    }

    @Test("An agreement key of small order is rejected", arguments: x25519)
    func smallAgreementKeyIsRefused(hexadecimal: String) throws {
        for top in [0, 0x80] as [UInt8] {
            var key = Self.bytes(hexadecimal)
            key[31] |= top
            expectRefusal(.malformed) {
                try DeviceKeys(certificateKey: keys.certificateKey, signingKey: keys.signingKey, agreementKey: key)
            }
            // Check the list itself: every agreement with such a key is zero.
            let peer = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: key)
            let own = Curve25519.KeyAgreement.PrivateKey()
            let id = DeviceIdentity().id
            #expect(PairwiseKey(own: own, peer: peer, devices: [id, keys.id], circle: CircleID(founder: id)) == nil)
        }
    }

    @Test("Ordinary devices' keys are accepted")
    func keysOfOrdinaryDevicesPass() throws {
        for _ in 0..<50 {
            let keys = DeviceIdentity().keys
            _ = try DeviceKeys(
                certificateKey: keys.certificateKey, signingKey: keys.signingKey, agreementKey: keys.agreementKey)
        }
    }

    @Test("Keys that have a wrong length or are not on the curve are rejected")
    func wrongKeysAreRefused() {
        let wrong: [([UInt8], [UInt8], [UInt8])] = [
            (keys.certificateKey.dropLast(), keys.signingKey, keys.agreementKey),
            (keys.certificateKey, keys.signingKey + [0], keys.agreementKey),
            (keys.certificateKey, keys.signingKey, []),
            ([4] + [UInt8](repeating: 1, count: 64), keys.signingKey, keys.agreementKey),
        ]
        for (certificateKey, signingKey, agreementKey) in wrong {
            expectRefusal(.malformed) {
                try DeviceKeys(certificateKey: certificateKey, signingKey: signingKey, agreementKey: agreementKey)
            }
        }
    }
}
