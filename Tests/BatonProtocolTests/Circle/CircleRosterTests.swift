// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleRosterTests {
    let founder = DeviceIdentity()
    let circle: CircleID

    init() { circle = CircleID(founder: founder.id) }

    func own(_ identity: DeviceIdentity, in circle: CircleID? = nil) throws -> Statement {
        try Statement(adding: identity, "Founder", to: circle ?? self.circle, by: identity)
    }

    @Test("The founder vouches for itself, and is the only member of a new circle")
    func founderVouchesForItself() throws {
        let roster = try Roster(foundedBy: founder, name: "Founder")
        #expect(roster.circle == circle)
        #expect(roster.members == [founder.id: try founder.member("Founder")])
        #expect(roster.statements.count == 1)
    }

    /// Statements give the same roster in whatever parts and order they arrive. Its members are the
    /// devices that can be reached from the founder through Adds.
    @Test("A merge is a union of statements in any order", arguments: 0..<24)
    func mergeIsAUnion(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let others = (0..<6).map { _ in DeviceIdentity() }
        let everybody = [founder] + others
        var statements = [try own(founder)]
        for _ in 0..<12 {
            let signer = try #require(everybody.randomElement(using: &random))
            let added = try #require(everybody.randomElement(using: &random))
            let name = "Laptop \(Int.random(in: 0..<3, using: &random))"
            statements.append(try Statement(adding: added, name, to: circle, by: signer))
        }

        var expected: Set = [founder.id]
        for _ in everybody {
            for statement in statements where expected.contains(statement.signer) {
                if let added = statement.added { expected.insert(added.keys.id) }
            }
        }
        let reached = statements.filter { expected.contains($0.signer) }
        // Only one of the names that a device gave itself remains.
        let counted = Set(
            reached.filter { statement in
                !statement.isOwnNaming
                    || !reached.contains {
                        $0.isOwnNaming && $0.signer == statement.signer && $0.isPreferred(to: statement)
                    }
            })

        let first = try Roster(circle: circle, statements: statements)
        #expect(Set(first.members.keys) == expected)
        #expect(first.statements == counted)
        for _ in 0..<6 {
            let shuffled = statements.shuffled(using: &random)
            #expect(try Roster(circle: circle, statements: shuffled) == first)
            // Two devices each know a part, and exchange it.
            let cut = Int.random(in: 0...shuffled.count, using: &random)
            let one = try Roster(circle: circle, statements: [statements[0]] + shuffled[..<cut])
            let two = try Roster(circle: circle, statements: [statements[0]] + shuffled[cut...])
            var (left, right) = (one, two)
            try left.merge(Array(two.statements))
            try right.merge(Array(one.statements))
            #expect(left == right)
            try left.merge(shuffled)
            #expect(left == first)
            let again = try left.merge(shuffled)
            #expect(!again)
        }
    }

    @Test("A member's name is the one that it gave itself, whatever the order of the statements")
    func nameIsTheSameInAnyOrder() throws {
        let (member, other) = (DeviceIdentity(), DeviceIdentity())
        var statements = [
            try own(founder),
            try Statement(adding: other, to: circle, by: founder),
            try Statement(adding: member, "Blue", to: circle, by: founder),
            try Statement(adding: member, "Red", to: circle, by: other),
        ]
        let forwards = try Roster(circle: circle, statements: statements)
        #expect(try Roster(circle: circle, statements: statements.reversed()) == forwards)

        statements.append(try Statement(adding: member, "Mine", to: circle, by: member))
        for order in [statements, statements.reversed()] {
            #expect(try Roster(circle: circle, statements: order).members[member.id]?.name == "Mine")
        }
    }

    @Test("A long chain of devices, each added by the one before, is complete in any order of the statements")
    func longChainIsReachedInAnyOrder() throws {
        var chain = [try own(founder)]
        var last = founder
        for _ in 0..<40 {
            let next = DeviceIdentity()
            chain.append(try Statement(adding: next, to: circle, by: last))
            last = next
        }
        #expect(try Roster(circle: circle, statements: chain.reversed()).members.count == 41)
    }

    @Test("Statements by strangers are ignored")
    func strangersAreLeftOut() throws {
        let (stranger, friend) = (DeviceIdentity(), DeviceIdentity())
        var roster = try Roster(foundedBy: founder, name: "Founder")
        let before = roster
        let grew = try roster.merge([
            Statement(adding: friend, to: circle, by: stranger),
            Statement(adding: stranger, to: circle, by: friend),
            own(stranger),
        ])
        #expect(!grew)
        #expect(roster == before)
    }

    @Test("Statements with wrong signatures are ignored")
    func wrongSignaturesAreLeftOut() throws {
        let friend = DeviceIdentity()
        let good = try Statement(adding: friend, to: circle, by: founder).message
        var roster = try Roster(foundedBy: founder, name: "Founder")
        let before = roster
        for index in good.signature.indices {
            var bad = good
            bad.signature[index] ^= 1
            try roster.merge([Statement(bad)])
        }
        var renamed = try WireStatementBody(serializedBytes: good.body)
        renamed.add.name = "Another"
        var bad = good
        bad.body = try renamed.serializedData()
        try roster.merge([Statement(bad)])
        #expect(roster == before)
        try roster.merge([Statement(good)])
        #expect(roster.members.count == 2)
    }

    /// A device signs in the founder's name with its own key.
    @Test("A statement in another member's name is ignored")
    func forgedSignerIsLeftOut() throws {
        let thief = DeviceIdentity()
        let message = try Statement(adding: thief, to: circle, by: thief).message
        var body = try WireStatementBody(serializedBytes: message.body)
        body.signer = try WireStatementBody(serializedBytes: own(founder).message.body).signer
        var forged = message
        forged.body = try body.serializedData()
        var roster = try Roster(foundedBy: founder, name: "Founder")
        try roster.merge([Statement(forged)])
        #expect(roster.members.count == 1)
    }

    @Test("Statements for another circle are ignored")
    func otherCirclesAreLeftOut() throws {
        let friend = DeviceIdentity()
        let elsewhere = CircleID(founder: friend.id)
        var roster = try Roster(foundedBy: founder, name: "Founder")
        let grew = try roster.merge([Statement(adding: friend, to: elsewhere, by: founder)])
        #expect(!grew)
        #expect(roster.members.count == 1)
    }

    @Test("The founder of a circle cannot be replaced")
    func founderCannotBeExchanged() throws {
        let thief = DeviceIdentity()
        expectRefusal(.untrusted) { try Roster(circle: circle, statements: [own(thief)]) }
        expectRefusal(.untrusted) {
            try Roster(circle: circle, statements: [Statement(adding: thief, to: circle, by: founder)])
        }
        expectRefusal(.untrusted) { try Roster(circle: circle, statements: []) }
        expectRefusal(.untrusted) {
            try Roster(circle: circle, statements: [own(founder, in: CircleID(founder: thief.id))])
        }
    }
}
