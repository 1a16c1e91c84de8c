// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BatonProtocol

struct CircleVectors: Decodable {
    struct Signed: Decodable {
        var body: Hex
        var signature: Hex
    }
    struct Named: Decodable {
        var id: Hex
        var name: String
    }
    struct Membership: Decodable {
        var name: String
        var statements: [Signed]
        var members: [Named]
        var removalsDigest: Hex
    }
    struct Record: Decodable {
        var number: UInt32
        var removalsDigest: Hex
        var secretDigest: Hex
        var signer: Hex
        var signature: Hex
    }
    struct State: Decodable {
        var name: String
        var isUsable: Bool
        var record: Record
        var secret: Hex
        var state: Hex
    }
    struct Address: Decodable {
        var transport: String
        var address: String
        var port: UInt16
    }
    struct Join: Decodable {
        var device: String
        var name: String
        var request: Hex
    }
    struct Invitation: Decodable {
        var text: String
        var secret: Hex
        var certificatePin: Hex
        var circle: Hex
        var inviterName: String
        var expires: Int64
        var endpoints: [Address]
        var key: Hex
        var join: Join
    }
    struct Hail: Decodable {
        var name: String
        var from: String
        var to: String
        var key: Hex
        var unixTime: Int64
        var psm: UInt8
        var plaintext: Hex
        var sealed: Hex
    }
    struct Name: Decodable {
        var name: String
        var isValid: Bool
    }
    var devices: [DeviceVector]
    var names: [Name]
    var founder: String
    var circle: Hex
    var memberships: [Membership]
    var states: [State]
    var invitation: Invitation
    var hails: [Hail]
}

/// Tests the circle's vectors, which the foreign peer writes (Tests/Vectors/README.md).
@Suite struct CircleVectorTests {
    private let vectors: CircleVectors
    private let circle: CircleID

    init() throws {
        vectors = try BatonProtocolTests.vectors("circle.json", as: CircleVectors.self)
        circle = try #require(CircleID(bytes: vectors.circle.bytes))
    }

    @Test("A circle's id is derived from its founder")
    func circleIsNamedByItsFounder() throws {
        let founder = try vectors.devices.identity(vectors.founder)
        #expect(CircleID(founder: founder.id) == circle)
        #expect(try Circle(foundedBy: founder, name: "x").id == circle)
    }

    private func statement(_ signed: CircleVectors.Signed) throws -> Statement {
        var message = WireStatement()
        message.body = Data(signed.body.bytes)
        message.signature = Data(signed.signature.bytes)
        return try Statement(message)
    }

    @Test("Exactly the names that the vectors mark as valid are accepted")
    func namesAreThoseThatMayBeShown() {
        #expect(vectors.names.count { $0.isValid } == 8 && vectors.names.count == 23)
        for vector in vectors.names { #expect(Member.isValidName(vector.name) == vector.isValid, "\(vector)") }
    }

    @Test("Statements are made and signed as in the vectors")
    func statementsAsInTheVectors() throws {
        let identities = try Dictionary(
            uniqueKeysWithValues: vectors.devices.map { ($0.id.bytes, try $0.identity()) })
        let elsewhere = CircleID(founder: try vectors.devices.identity("eve").id)
        for signed in vectors.memberships.flatMap(\.statements) {
            let read = try statement(signed)
            let signer = try #require(identities[read.signer.bytes])
            let made =
                switch read.kind {
                case .add(let member, let proof, let revision):
                    try Statement(adding: member, proof: proof, to: circle, by: signer, revision: revision)
                case .remove(let gone, let stays): try Statement(removing: gone, stays: stays, from: circle, by: signer)
                }
            #expect(made.body == signed.body.bytes)
            #expect(read.isSigned(with: signer.keys, in: circle) && made.isSigned(with: signer.keys, in: circle))
            let other = try #require(identities.values.first { $0.id != signer.id })
            #expect(!read.isSigned(with: other.keys, in: circle))
            #expect(!read.isSigned(with: signer.keys, in: elsewhere))
        }
    }

    @Test("The statements of the vectors give the same members in any order")
    func membersInAnyOrder() throws {
        #expect(vectors.memberships.count == 25)
        for vector in vectors.memberships {
            let statements = try vector.statements.map(statement)
            for order in [statements, statements.reversed()] {
                let roster = try Roster(circle: circle, statements: order)
                #expect(
                    roster.members.mapValues(\.name)
                        == Dictionary(
                            uniqueKeysWithValues: try vector.members.map {
                                (try #require(DeviceID(bytes: $0.id.bytes)), $0.name)
                            }), "\(vector.name)")
                #expect(roster.removalsDigest == vector.removalsDigest.bytes, "\(vector.name)")
            }
        }
    }

    @Test("Secrets are accepted only from members that know the removals")
    func secretsOfTheVectors() throws {
        #expect(vectors.states.count == 9 && vectors.states.count { $0.isUsable } == 3)
        for vector in vectors.states {
            let news = try CircleNews(encoded: vector.state.bytes)
            let owner = try #require(vectors.devices.first { $0.id == vector.record.signer })
            let signer = try owner.identity()
            #expect(news.record.number == vector.record.number && news.record.signer == signer.id)
            #expect(news.record.signature == vector.record.signature.bytes)
            guard vector.isUsable else {
                #expect(throws: CircleError.self, "\(vector.name)") { try Circle(encoded: vector.state.bytes) }
                continue
            }
            let read = try Circle(encoded: vector.state.bytes)
            #expect(read.id == circle && read.secret.secretBytes == vector.secret.bytes, "\(vector.name)")
            // The record can also be made here, because Ed25519 signatures are deterministic.
            let made = try SecretRecord(
                number: vector.record.number, secret: read.secret, circle: circle,
                removals: vector.record.removalsDigest.bytes, signer: signer)
            #expect(made.secretDigest == vector.record.secretDigest.bytes)
            #expect(made.isUsable(for: read.secret, in: read.roster))
        }
    }

    @Test("The invitation and the join request of the vectors can be decoded and encoded")
    func invitationIsReadAndWritten() throws {
        let vector = vectors.invitation
        let invitation = try Invitation(text: vector.text, at: vector.expires - 1)
        #expect(invitation.secret == vector.secret.bytes && invitation.certificatePin == vector.certificatePin.bytes)
        #expect(invitation.circle == circle && invitation.inviterName == vector.inviterName)
        #expect(invitation.expires == vector.expires)
        #expect(
            invitation.endpoints.map { [$0.transport.rawValue, $0.address, "\($0.port)"] }
                == vector.endpoints.map { [$0.transport, $0.address, "\($0.port)"] })
        #expect(try invitation.text() == vector.text)
        #expect(throws: CircleError.self) { try Invitation(text: vector.text, at: vector.expires) }
        #expect(PairwiseKey(invitationSecret: invitation.secret) == PairwiseKey(bytes: vector.key.bytes))
        let joiner = try vectors.devices.identity(vector.join.device)
        let request = try JoinRequest(encoded: vector.join.request.bytes, circle: circle)
        #expect(request.member.keys == joiner.keys && request.member.name == vector.join.name)
        #expect(try request.encoded() == vector.join.request.bytes)
        #expect(throws: CircleError.self) {
            try JoinRequest(encoded: vector.join.request.bytes, circle: CircleID(founder: joiner.id))
        }
    }

    @Test("Hails are made as in the vectors, and the other device opens them")
    func hailsOfTheVectors() throws {
        #expect(vectors.hails.count == 3)
        for vector in vectors.hails {
            let (sender, receiver) = (
                try vectors.devices.identity(vector.from), try vectors.devices.identity(vector.to)
            )
            let key = try #require(PairwiseKey(own: receiver, peer: sender.keys, circle: circle))
            #expect(key == PairwiseKey(bytes: vector.key.bytes))
            let beacon = Beacon(device: sender.id.short, activity: .none, flags: [], sequence: 0, psm: vector.psm)
            var cipher = BeaconCipher(hailing: key)
            #expect(cipher.seal(beacon, at: vector.unixTime) == vector.sealed.bytes, "\(vector.name)")
            var listener = HailListener()
            listener.keysChanged([sender.id: key])
            let heard = listener.received(vector.sealed.bytes, at: vector.unixTime, uptime: .seconds(1))
            #expect(heard?.device == sender.id && heard?.beacon == beacon, "\(vector.name)")
        }
    }
}
