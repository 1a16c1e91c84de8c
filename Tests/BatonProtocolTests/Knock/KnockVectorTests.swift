// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import BatonProtocol

struct KnockVectors: Decodable {
    struct Pairwise: Decodable {
        var privateA: Hex
        var publicA: Hex
        var privateB: Hex
        var publicB: Hex
        var deviceA: Hex
        var deviceB: Hex
        var circle: Hex
        var key: Hex
    }
    struct Invitation: Decodable {
        var secret: Hex
        var key: Hex
    }
    struct Knock: Decodable {
        var name: String
        var key: Hex
        var transport: String
        var responderNonce: Hex
        var initiatorNonce: Hex
        var clientHello: Hex
        var knock: Hex
        var answer: Hex
    }
    var pairwise: Pairwise
    var invitation: Invitation
    var knocks: [Knock]
}

@Suite struct KnockVectorTests {
    let vectors: KnockVectors

    init() throws { vectors = try BatonProtocolTests.vectors("knock.json", as: KnockVectors.self) }

    @Test("The pairwise key is the same on both sides, and differs in another circle")
    func pairwiseKeyOfBothSides() throws {
        let vector = vectors.pairwise
        let a = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: vector.privateA.bytes)
        let b = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: vector.privateB.bytes)
        #expect(Hex(Array(a.publicKey.rawRepresentation)) == vector.publicA)
        let expected = PairwiseKey(bytes: vector.key.bytes)
        #expect(expected != nil)
        let circle = try #require(CircleID(bytes: vector.circle.bytes))
        let other = try #require(CircleID(bytes: [UInt8](repeating: 1, count: 16)))
        let devices = try [vector.deviceA, vector.deviceB].map { try #require(DeviceID(bytes: $0.bytes)) }
        #expect(PairwiseKey(own: a, peer: b.publicKey, devices: devices, circle: circle) == expected)
        #expect(PairwiseKey(own: b, peer: a.publicKey, devices: devices.reversed(), circle: circle) == expected)
        #expect(PairwiseKey(own: b, peer: a.publicKey, devices: devices, circle: other) != expected)
    }

    /// A member copies another member's agreement key into a device of its own. The member gets
    /// none of the other's pairwise keys, and cannot pass for the other.
    @Test("A copied agreement key gives another pairwise key")
    func copiedAgreementKey() throws {
        let (own, member, forger) = (DeviceIdentity(), DeviceIdentity(), DeviceIdentity())
        let circle = CircleID(founder: own.id)
        for certificate in [member, forger] {
            let forged = try DeviceKeys(
                certificateKey: certificate.keys.certificateKey, signingKey: forger.keys.signingKey,
                agreementKey: member.keys.agreementKey)
            let key = PairwiseKey(own: own, peer: member.keys, circle: circle)
            #expect(key != nil && PairwiseKey(own: own, peer: forged, circle: circle) != key)
            #expect(PairwiseKey(own: member, peer: own.keys, circle: circle) == key)
        }
    }

    @Test("The key of an invitation agrees with the vectors, and a secret of another length gives no key")
    func invitationKey() {
        #expect(
            PairwiseKey(invitationSecret: vectors.invitation.secret.bytes)
                == PairwiseKey(bytes: vectors.invitation.key.bytes))
        #expect(PairwiseKey(invitationSecret: [1, 2, 3]) == nil)
    }

    @Test("Both sides send and accept the vectors' knocks")
    func vectorsOfKnocksFromBothSides() throws {
        #expect(vectors.knocks.count == 4)
        for vector in vectors.knocks {
            let key = try #require(PairwiseKey(bytes: vector.key.bytes))
            let transport = try #require(TransportKind(rawValue: vector.transport))
            let responderNonce = try #require(KnockNonce(bytes: vector.responderNonce.bytes))
            let initiatorNonce = try #require(KnockNonce(bytes: vector.initiatorNonce.bytes))
            var initiator = KnockInitiator(key: key, transport: transport, nonce: initiatorNonce)
            #expect(initiator.start(clientHello: vector.clientHello.bytes) == [])
            #expect(initiator.received(vector.responderNonce.bytes) == [.send(vector.knock.bytes)], "\(vector.name)")
            #expect(initiator.received(vector.answer.bytes) == [.proved(leftover: [])], "\(vector.name)")

            var responder = KnockResponder(transport: transport, nonce: responderNonce)
            #expect(responder.start() == [.send(vector.responderNonce.bytes)])
            let actions = responder.received(vector.knock.bytes) { [KnockCandidate(id: .member(2), key: key)] }
            #expect(
                actions == [.proved(.member(2), answer: vector.answer.bytes, tls: vector.clientHello.bytes)],
                "\(vector.name)")
        }
    }

    /// Public keys of small order make every agreement zero (RFC 7748, section 6.1).
    @Test("An agreement that is all zero, from a key of small order, is rejected")
    func allZeroAgreementIsRefused() throws {
        let own = Curve25519.KeyAgreement.PrivateKey()
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            let peer = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: point)
            let (one, two, circle) = (DeviceIdentity().id, DeviceIdentity().id, CircleID(founder: DeviceIdentity().id))
            #expect(PairwiseKey(own: own, peer: peer, devices: [one, two], circle: circle) == nil)
        }
    }

    @Test("Pairwise keys are not printed")
    func keysAreNotPrinted() throws {
        let key = try #require(PairwiseKey(bytes: [UInt8](repeating: 0xAB, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("abab"))
        }
        #expect(PairwiseKey(bytes: [1, 2]) == nil)
    }
}
