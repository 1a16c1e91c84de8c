// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import Crypto
import Foundation

/// Devices, keys and a circle that never change, so that a kept input always has the same effect.
enum Fixture {
    /// The time of all events, in Unix seconds.
    static let moment: Int64 = 1_800_000_000
    static let devices: [DeviceIdentity] = [identity(1), identity(4), identity(7), identity(10)]
    static let own = devices[0]
    static let peer = devices[1]
    static let nonce = KnockNonce(bytes: repeated(6, 16)) ?? KnockNonce()
    static let secret = CircleSecret(bytes: repeated(5, 32)) ?? CircleSecret()
    static let circleID = CircleID(founder: own.id)

    static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    /// Returns the key that two devices share.
    static func pairwise() throws -> PairwiseKey {
        guard let key = PairwiseKey(bytes: repeated(8, PairwiseKey.byteCount)) else {
            throw FuzzFinding(rule: "32 bytes are a key")
        }
        return key
    }

    /// Returns a circle of the first two devices.
    static func circle() throws -> Circle { try founded.get() }

    private static let founded = Result { try found() }

    private static func found() throws -> Circle {
        var circle = try Circle(foundedBy: own, name: "own")
        try circle.add(JoinRequest(peer, name: "peer", circle: circle.id), by: own)
        var message = circle.message
        message.secret = Data(secret.secretBytes)
        message.record = try SecretRecord(after: 0, secret: secret, in: circle.roster, signer: own).message
        return try Circle(message)
    }

    private static func identity(_ seed: UInt8) -> DeviceIdentity {
        guard let certificate = try? P256.Signing.PrivateKey(rawRepresentation: repeated(seed, 32)),
            let signing = try? Curve25519.Signing.PrivateKey(rawRepresentation: repeated(seed + 1, 32)),
            let agreement = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: repeated(seed + 2, 32))
        else { return DeviceIdentity() }
        return DeviceIdentity(certificateKey: certificate, signingKey: signing, agreementKey: agreement)
    }
}
