// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleTests {
    let founder = DeviceIdentity()
    let friend = DeviceIdentity()
    let circle: Circle

    init() throws {
        var circle = try Circle(foundedBy: founder, name: "Founder")
        try circle.add(friend, "Friend", by: founder)
        self.circle = circle
    }

    /// Returns news from a member: the same roster, and another secret in a record that the member
    /// signed.
    func told(
        number: UInt32, secret: CircleSecret, by signer: DeviceIdentity,
        _ change: (inout WireSecretRecord) -> Void = { _ in }
    ) throws -> [UInt8] {
        try circle.changed { message in
            message.secret = Data(secret.secretBytes)
            message.record = try SecretRecord(number: number, secret: secret, circle: circle.id, signer: signer).message
            change(&message.record)
        }
    }

    func digest(_ secret: CircleSecret) throws -> [UInt8] {
        try SecretRecord(number: 1, secret: secret, circle: circle.id, signer: founder).secretDigest
    }

    @Test("A removed device learns only of its removal")
    func farewellTellsOfTheRemoval() throws {
        var grown = circle
        let third = DeviceIdentity()
        try grown.add(third, "Third", by: founder)
        #expect(try grown.farewell(to: friend.id) == nil)
        try grown.remove(friend.id, by: founder)
        let farewell = try #require(try grown.farewell(to: friend.id))
        let message = try WireCircleState(serializedBytes: farewell)
        #expect(message.statements.count == 1 && message.secret == Data(count: 32))
        #expect(message.record.signature == Data(count: 64))
        var known = circle
        #expect(try known.merge(CircleNews(encoded: farewell), by: friend))
        #expect(known.roster.members[friend.id] == nil && known.roster.remover(of: friend.id) == founder.id)
        #expect(known.secret == circle.secret)
        // A device that removed itself gets no farewell message.
        try grown.remove(third.id, by: third)
        #expect(try grown.farewell(to: third.id) == nil)
    }

    @Test("A circle survives encoding and decoding")
    func roundTrip() throws {
        #expect(try Circle(encoded: circle.encoded()) == circle)
        #expect(circle.roster.members.count == 2)
        #expect(circle.id == CircleID(founder: founder.id))
    }

    @Test("Only a member can add a device")
    func onlyAMemberTakesIn() throws {
        var grown = circle
        let device = DeviceIdentity()
        let newcomer = try JoinRequest(device, name: "New", circle: circle.id)
        expectRefusal(.untrusted) { try grown.add(newcomer, by: DeviceIdentity()) }
        #expect(grown == circle)
        try grown.add(newcomer, by: friend)
        #expect(grown.roster.members[device.id] == newcomer.member)
    }

    @Test("A request to another circle adds no device")
    func requestToAnotherCircle() throws {
        var grown = circle
        let request = try JoinRequest(DeviceIdentity(), name: "New", circle: CircleID(founder: friend.id))
        expectRefusal(.untrusted) { try grown.add(request, by: founder) }
        #expect(grown == circle)
    }

    @Test("If there are two secrets, the one with the higher number is used")
    func higherNumberCounts() throws {
        let secret = CircleSecret()
        let later = try Circle(encoded: told(number: 2, secret: secret, by: friend))
        var (one, two) = (circle, later)
        #expect(try one.merge(later))
        #expect(try !two.merge(circle))
        #expect(one.secret == secret)
        #expect(one == two)
        #expect(try !one.merge(later))
    }

    @Test("Of secrets with equal numbers, the one with the smallest digest is used")
    func smallestDigestCounts() throws {
        let secret = CircleSecret()
        let other = try Circle(encoded: told(number: 1, secret: secret, by: friend))
        let otherWins = try digest(secret).lexicographicallyPrecedes(digest(circle.secret))
        var (one, two) = (circle, other)
        #expect(try one.merge(other) == otherWins)
        #expect(try two.merge(circle) == !otherWins)
        #expect(one == two)
        #expect(one.secret == (otherWins ? secret : circle.secret))
    }

    @Test("A secret signed by a stranger is rejected")
    func strangersSecretIsRefused() throws {
        expectRefusal(.untrusted) { try Circle(encoded: told(number: 2, secret: CircleSecret(), by: DeviceIdentity())) }
    }

    @Test("A secret signed in another member's name is rejected")
    func forgedSignerIsRefused() throws {
        let encoded = try told(number: 2, secret: CircleSecret(), by: DeviceIdentity()) { record in
            record.signer = Data(founder.id.bytes)
        }
        expectRefusal(.untrusted) { try Circle(encoded: encoded) }
    }

    @Test("A record of another secret is rejected")
    func recordOfAnotherSecret() throws {
        let encoded = try circle.changed { $0.secret = Data(CircleSecret().secretBytes) }
        expectRefusal(.untrusted) { try Circle(encoded: encoded) }
    }

    @Test("A record with another digest of removals is rejected")
    func recordOfOtherRemovals() throws {
        let encoded = try circle.changed { $0.record.removalsDigest[0] ^= 1 }
        expectRefusal(.untrusted) { try Circle(encoded: encoded) }
    }

    @Test("A record with a changed number is rejected")
    func recordWithAnotherNumber() throws {
        let encoded = try circle.changed { $0.record.number += 1 }
        expectRefusal(.untrusted) { try Circle(encoded: encoded) }
    }

    @Test("A record of another circle is rejected")
    func recordOfAnotherCircle() throws {
        let elsewhere = try Circle(foundedBy: friend, name: "Friend")
        let encoded = try circle.changed { message in
            message.record = elsewhere.message.record
            message.secret = elsewhere.message.secret
        }
        expectRefusal(.untrusted) { try Circle(encoded: encoded) }
    }

    @Test("A merge of another circle is rejected without any change")
    func mergeOfAnotherCircle() throws {
        var mine = circle
        let other = try Circle(foundedBy: friend, name: "Friend")
        expectRefusal(.untrusted) { try mine.merge(other) }
        #expect(mine == circle)
    }

    @Test("A circle with fields of a wrong length is rejected")
    func wrongLengthsAreRefused() throws {
        let changes: [(inout WireCircleState) -> Void] = [
            { $0.circle.removeLast() }, { $0.circle.append(0) }, { $0.secret.removeLast() }, { $0.secret.append(0) },
            { $0.record.signer.removeLast() }, { $0.record.signature.removeLast() },
            { $0.record.secretDigest.removeLast() }, { $0.record.removalsDigest.append(0) }, { $0.clearRecord() },
            { $0.statements[0].signature.append(0) }, { $0.statements[0].body = Data() },
            { $0.statements[0].body.removeLast() },
            { $0.statements[0].body += [0x7A, 0xFA, 0x07] + Data(repeating: 0, count: 1_018) },
        ]
        for (index, change) in changes.enumerated() {
            let encoded = try circle.changed(change)
            #expect("change \(index)") { try Circle(encoded: encoded) } throws: { error in
                (error as? CircleError)?.code == .malformed
            }
        }
    }

    @Test("A statement of an unknown kind is rejected")
    func unknownKindIsRefused() throws {
        let encoded = try circle.changed { message in
            var body = try WireStatementBody(serializedBytes: message.statements[0].body)
            body.kind = nil
            message.statements[0].body = try body.serializedData()
        }
        expectRefusal(.malformed) { try Circle(encoded: encoded) }
    }

    @Test("Damaged or random bytes are rejected, or at least add no member and no secret", arguments: 0..<8)
    func damagedOrRandomBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let encoded = try circle.encoded()
        for _ in 0..<50 {
            var damaged = encoded
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            if let read = try? Circle(encoded: damaged) {
                // Damage may make a statement invalid, but never adds a device.
                #expect(Set(read.roster.members.keys).isSubset(of: circle.roster.members.keys))
                #expect(read.secret == circle.secret)
            }
            expectRefusal(.malformed) { try Circle(encoded: random.bytes(200)) }
        }
    }

    @Test("Printing a circle does not show its secret")
    func circleDoesNotShowItsSecret() throws {
        #expect(!shows(shown(circle), circle.secret.secretBytes))
        #expect(shows(shown(circle.secret.secretBytes), circle.secret.secretBytes), "the check itself works")
    }
}
