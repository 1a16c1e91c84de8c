// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import BatonProtocol

struct PairingVectors: Decodable {
    struct Advert: Decodable {
        var nonce: Hex
        var psm: UInt8
        var payload: Hex
    }
    struct Pairing: Decodable {
        var name: String
        var transport: String
        var initiator: String
        var responder: String
        var circle: Hex
        var randomI: Hex
        var randomR: Hex
        var ephemeralI: Hex
        var ephemeralR: Hex
        var m1: Hex
        var m2: Hex
        var m3: Hex
        var transcript: Hex
        var digits: String
        var KI: Hex
        var KR: Hex
        var knockKey: Hex
        var plaintextI: Hex
        var plaintextR: Hex
        var answerI: Hex
        var answerR: Hex
        var noI: Hex
        var noR: Hex
    }
    var devices: [DeviceVector]
    var advert: Advert
    var pairings: [Pairing]
}

/// Tests the vectors of pairing, which the foreign peer writes (Tests/Vectors/README.md).
///
/// A machine on either side sends and accepts these messages.
@Suite struct PairingVectorTests {
    private let vectors: PairingVectors

    init() throws { vectors = try BatonProtocolTests.vectors("pairing.json", as: PairingVectors.self) }

    private func machines(_ vector: PairingVectors.Pairing) throws -> (PairingMachine, PairingMachine) {
        let transport = try #require(TransportKind(rawValue: vector.transport))
        let initiator = PairingMachine(
            role: .initiator, transport: transport, identity: try vectors.devices.identity(vector.initiator),
            name: vector.initiator, circle: CircleID(bytes: vector.circle.bytes),
            ephemeral: try .init(rawRepresentation: vector.ephemeralI.bytes), random: vector.randomI.bytes)
        let responder = PairingMachine(
            role: .responder, transport: transport, identity: try vectors.devices.identity(vector.responder),
            name: vector.responder, circle: nil,
            ephemeral: try .init(rawRepresentation: vector.ephemeralR.bytes), random: vector.randomR.bytes)
        return (initiator, responder)
    }

    @Test("The advertisement is as in the vectors")
    func advertIsAsInTheVectors() throws {
        let advert = try #require(PairingAdvert(nonce: vectors.advert.nonce.bytes, psm: vectors.advert.psm))
        #expect(advert.payload == vectors.advert.payload.bytes)
        #expect(PairingAdvert(payload: vectors.advert.payload.bytes) == advert)
    }

    @Test("Both sides of a pairing send and accept the vectors' messages")
    func bothSidesOfTheVectors() throws {
        #expect(vectors.pairings.count == 2)
        for vector in vectors.pairings {
            var (initiator, responder) = try machines(vector)
            _ = responder.handle(.opened)
            #expect(initiator.handle(.opened) == [.send(vector.m1.bytes)], "\(vector.name)")
            #expect(responder.handle(.received(vector.m1.bytes)) == [.send(vector.m2.bytes)])
            let digits = PairingMachine.Action.show(digits: vector.digits)
            #expect(initiator.handle(.received(vector.m2.bytes)) == [.send(vector.m3.bytes), digits])
            #expect(responder.handle(.received(vector.m3.bytes)) == [digits])
            var (other, another) = (initiator, responder)
            // Both users confirm. Ed25519 signatures are deterministic, so the answers have exactly
            // these bytes.
            #expect(initiator.handle(.decided(true)) == [.send(vector.answerI.bytes)], "\(vector.name)")
            #expect(responder.handle(.decided(true)) == [.send(vector.answerR.bytes)], "\(vector.name)")
            let key = try #require(PairwiseKey(bytes: vector.knockKey.bytes))
            #expect(initiator.handle(.received(vector.answerR.bytes)) == [])
            guard case .paired(let first, let firstKey)? = initiator.handle(.received([1])).first,
                case .paired(let second, let secondKey)? = responder.handle(.received(vector.answerI.bytes)).first
            else {
                Issue.record("\(vector.name): not paired")
                continue
            }
            #expect(firstKey == key && secondKey == key)
            #expect(first.member.name == vector.responder && first.circle == nil)
            #expect(second.member.name == vector.initiator && second.circle == CircleID(bytes: vector.circle.bytes))
            // One user refuses.
            #expect(other.handle(.decided(false)) == [.send(vector.noI.bytes), .fail(.declinedHere)])
            #expect(another.handle(.received(vector.noI.bytes)) == [.fail(.declinedThere)])
            (other, another) = try machines(vector)
            _ = (other.handle(.opened), another.handle(.opened))
            _ = (another.handle(.received(vector.m1.bytes)), other.handle(.received(vector.m2.bytes)))
            _ = another.handle(.received(vector.m3.bytes))
            #expect(another.handle(.decided(false)) == [.send(vector.noR.bytes), .fail(.declinedHere)])
            #expect(other.handle(.received(vector.noR.bytes)) == [.fail(.declinedThere)])
        }
    }

    @Test("The keys, the digits and the answers agree with the vectors")
    func keysAreThoseOfTheVectors() throws {
        for vector in vectors.pairings {
            let transport = try #require(TransportKind(rawValue: vector.transport))
            let own = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: vector.ephemeralI.bytes)
            let keys = try #require(
                PairingKeys(
                    own: own, peer: Array(vector.m2.bytes.suffix(32)),
                    messages: vector.m1.bytes + vector.m2.bytes + vector.m3.bytes, transport: transport))
            #expect(keys.transcript == vector.transcript.bytes && keys.digits == vector.digits)
            #expect(keys.initiatorKey.withUnsafeBytes { Array($0) } == vector.KI.bytes)
            #expect(keys.responderKey.withUnsafeBytes { Array($0) } == vector.KR.bytes)
            #expect(keys.knock == vector.knockKey.bytes)
            for (answer, key, plaintext) in [
                (vector.answerI, keys.initiatorKey, vector.plaintextI),
                (vector.answerR, keys.responderKey, vector.plaintextR),
            ] {
                let opened = PairingKeys.open(Array(answer.bytes.dropFirst(2)), with: key, transcript: keys.transcript)
                #expect(opened == plaintext.bytes)
            }
        }
    }
}
