// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// A thief with a member's key fills rosters up to the last byte. Every member must still be able
/// to remove the thief from every roster.
///
/// The tests run one after the other, because each keeps a thread busy for seconds while the time
/// limits of other tests run.
@Suite(.serialized) struct CircleFillTests {
    let founder = DeviceIdentity()
    let friend = DeviceIdentity()
    let thief = DeviceIdentity()
    /// Three devices. The founder has added the other two.
    let circle: Circle

    enum Filling: CaseIterable { case removals, shortRemovals, adds }

    init() throws {
        var circle = try Circle(foundedBy: founder, name: "Founder")
        try circle.add(friend, "Friend", by: founder)
        try circle.add(thief, "Thief", by: founder)
        self.circle = circle
    }

    private func news(_ circle: Circle) throws -> CircleNews { try CircleNews(encoded: circle.encoded()) }

    /// Gives the founder and the friend each other's news, twice.
    private func exchange(_ one: inout Circle, _ two: inout Circle) throws {
        for _ in 0..<2 {
            let (first, second) = try (news(one), news(two))
            _ = try one.merge(second, by: founder)
            _ = try two.merge(first, by: friend)
        }
    }

    /// Returns a statement with an unknown field, so that its body has a given length.
    private func statement(
        padded body: WireStatementBody, to length: Int, by signer: DeviceIdentity
    ) throws -> WireStatement {
        let bytes = Array(try body.serializedData() as Data)
        let rest = length - bytes.count - 3
        try #require((128..<16_384).contains(rest))
        let padded =
            bytes + [0x7A, UInt8(rest & 0x7F) | 0x80, UInt8(rest >> 7)] + [UInt8](repeating: 0, count: rest)
        var statement = WireStatement()
        statement.body = Data(padded)
        statement.signature = Data(
            try signer.signature(for: Array("baton statement 1".utf8) + circle.id.bytes + padded))
        return statement
    }

    /// Returns the circle with these statements. The thief signs the secret like a member that
    /// knows the statements.
    private func vouched(_ message: WireCircleState) throws -> Circle {
        var message = message
        let roster = try Roster(circle: circle.id, statements: message.statements.map(Statement.init))
        message.record = try SecretRecord(after: 1, secret: circle.secret, in: roster, signer: thief).message
        return try Circle(encoded: Array(try message.serializedData() as Data))
    }

    /// Returns a statement by the thief that only takes up space in the roster.
    ///
    /// - Parameter number: A number that makes the names in Adds differ.
    private func junk(_ filling: Filling, _ number: Int) throws -> WireStatement {
        var body = WireStatementBody()
        body.signer = Data(thief.id.bytes)
        switch filling {
        case .removals:
            body.remove.gone = Data(DeviceIdentity().id.bytes)
            body.remove.stays = circle.roster.members.keys.map { Data($0.bytes) }
            return try statement(padded: body, to: Statement.maximumRemoveLength, by: thief)
        case .shortRemovals:
            return try Statement(
                removing: DeviceIdentity().id, stays: Set(circle.roster.members.keys), from: circle.id, by: thief
            ).message
        case .adds:
            body.add.keys = founder.keys.message
            body.add.proof = try KeyProof(of: founder, in: circle.id).message
            body.add.name = "Name \(number) \(UInt32.random(in: 0 ... .max))"
            return try statement(padded: body, to: Statement.maximumAddLength, by: thief)
        }
    }

    /// Returns the circle after the thief has filled it. The statements differ each time.
    private func filled(_ filling: Filling) throws -> Circle {
        var message = circle.message
        var length = circle.roster.length
        for number in 0... {
            let more = try junk(filling, number)
            length += more.body.count + 72
            // A device adds at most 256 others. With padding, these Adds just fit into the roster.
            guard length <= Roster.maximumLength, filling != .adds || number < 256 else { break }
            message.statements.append(more)
        }
        let full = try vouched(message)
        #expect(full.roster.length > 257_000 && full.roster.length <= 262_144)
        #expect(full.roster.members == circle.roster.members)
        var grown = full.roster
        expectRefusal(.limitReached) { try grown.mergeWithinLimits([Statement(junk(.removals, 1_000))]) }
        #expect(grown == full.roster)
        return full
    }

    @Test("A roster that a thief has filled still accepts removals", arguments: Filling.allCases)
    func filledRosterTakesRemovals(_ filling: Filling) throws {
        let full = try filled(filling)
        var (one, two, left) = (full, full, full)
        try one.remove(thief.id, by: founder)
        #expect(Set(one.roster.members.keys) == [founder.id, friend.id])
        #expect(one.secret != full.secret)
        #expect(try two.merge(news(one), by: friend))
        #expect(two == one)
        // The state is stored and read again.
        var state = DeviceState(identity: founder, name: "Founder")
        state.circle = one
        #expect(try DeviceState(encoded: state.encoded()).circle == one)
        // Leaving is also a removal.
        try left.remove(friend.id, by: friend)
        #expect(try two.merge(news(left), by: founder))
        #expect(Set(two.roster.members.keys) == [founder.id])
    }

    @Test(
        "Rosters that were filled differently accept the thief's removal and, if possible, the secret",
        arguments: [Filling.removals, .adds])
    func rostersFilledDifferently(_ filling: Filling) throws {
        var (one, two) = (try filled(filling), try filled(filling))
        expectRefusal(.limitReached) { try two.merge(news(one), by: friend) }
        try one.remove(thief.id, by: founder)
        #expect(try two.merge(news(one), by: friend))
        #expect(two.roster.members[thief.id] == nil)
        #expect(two.secret != circle.secret)
        #expect(two.roster.length <= Roster.maximumLengthWithRemovals)
    }

    @Test(
        "Two members that remove the thief from a full roster at the same time end with one secret",
        arguments: [Filling.removals, .adds])
    func twoRemoveTheThief(_ filling: Filling) throws {
        let full = try filled(filling)
        var (one, two) = (full, full)
        try one.remove(thief.id, by: founder)
        try two.remove(thief.id, by: friend)
        try exchange(&one, &two)
        #expect(one == two, "both know both removals, and have one secret")
        #expect(try one.isKnown(from: news(two)))
    }

    /// The roster has the maximum length that only removals may reach. Two more removals by one
    /// device still fit into the roster.
    @Test("Two members can remove the thief at the same time even if the roster is full")
    func twoRemoveWithoutRoom() throws {
        var message = circle.message
        let limit = Roster.maximumLength + (Roster.maximumMembers - 3) * Roster.lengthPerEmptyPlace
        let count = (limit - circle.roster.length) / (Statement.maximumRemoveLength + 72)
        message.statements += try (0..<count).map { try junk(.removals, $0) }
        let full = try vouched(message)
        #expect(full.roster.length <= limit && full.roster.length > limit - 4_680)
        var (one, two) = (full, full)
        try one.remove(thief.id, by: founder)
        try two.remove(thief.id, by: friend)
        try exchange(&one, &two)
        #expect(one == two)
        #expect(Set(one.roster.members.keys) == [founder.id, friend.id])
    }

    /// The additional length is for removals of members. There is room for the removal of each
    /// member, however many members were removed before.
    @Test("Every member can be removed from a filled roster, and others accept these removals")
    func everyMemberCanBeRemoved() throws {
        var message = circle.message
        let members = try (1...125).map { try NumberedDevice(UInt32($0)) }
        message.statements += try members.map { try Statement(adding: $0, to: circle.id, by: founder).message }
        message.statements += try (0..<45).map { try junk(.removals, $0) }
        var full = try vouched(message)
        // The founder's Adds fit into the roster beside the thief's junk.
        #expect(full.roster.members.count == 128)
        for member in members.map(\.id) + [thief.id, friend.id] {
            try full.remove(member, by: founder)
            let limit =
                Roster.maximumLength + (Roster.maximumMembers - full.roster.members.count) * Roster.lengthPerEmptyPlace
            try #require(full.roster.length <= limit)
        }
        #expect(Set(full.roster.members.keys) == [founder.id])
        #expect(full.roster.length > 3 * Roster.maximumLength / 2)
        let encoded = try full.encoded()
        #expect(encoded.count <= Circle.maximumEncodedLength)
        #expect(try Circle(encoded: encoded) == full)
        // A device that has none of these statements accepts all of them.
        var other = circle
        #expect(try other.merge(news(full), by: friend))
        #expect(other.roster.members[thief.id] == nil && other.roster.members[friend.id] == nil)
    }

    @Test("Encoded statements are not longer than the roster's count of their length")
    func statementsFitTheirCount() throws {
        #expect(Statement.maximumRemoveLength + 72 <= Roster.lengthPerEmptyPlace)
        for filling in Filling.allCases {
            var message = WireCircleState()
            message.statements = [try junk(filling, 1)]
            #expect(try message.serializedData().count <= Statement(message.statements[0]).length)
        }
        #expect(try circle.encoded().count <= circle.roster.length + 1_024)
    }

    /// Honest devices add, rename, remove and connect at random, and a thief fills rosters.
    ///
    /// No roster exceeds the limits, and devices that honest devices removed stay removed.
    @Test("Random histories with a thief stay within the limits, and removed devices stay removed", arguments: 0..<3)
    func randomHistories(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let others = (0..<4).map { _ in DeviceIdentity() }
        var base = circle
        for other in others { try base.add(other, "Other", by: founder) }
        var views = [founder, friend, others[0]].map { (identity: $0, circle: base) }
        var removed: Set<DeviceID> = []
        let fillings = try [Filling.removals, .adds].map { try filled($0).message.statements }
        for _ in 0..<12 {
            let index = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let name = "Name \(Int.random(in: 0..<100, using: &random))"
                try? views[index].circle.rename(to: name, by: views[index].identity)
            case 1:
                let gone = others.dropFirst().randomElement(using: &random)?.id ?? thief.id
                guard views[index].circle.roster.members[gone] != nil else { continue }
                try views[index].circle.remove(gone, by: views[index].identity)
                removed.insert(gone)
            case 2:
                var message = base.message
                message.statements = (fillings.randomElement(using: &random) ?? []).shuffled(using: &random)
                _ = try? views[index].circle.merge(CircleNews(message), by: views[index].identity)
            default:
                let told = try news(views.randomElement(using: &random)?.circle ?? base)
                _ = try? views[index].circle.merge(told, by: views[index].identity)
            }
            for view in views {
                #expect(view.circle.roster.length <= Roster.maximumLengthWithRemovals)
                #expect(try view.circle.encoded().count <= Circle.maximumEncodedLength)
            }
        }
        if views[0].circle.roster.members[thief.id] != nil { try views[0].circle.remove(thief.id, by: founder) }
        removed.insert(thief.id)
        for _ in 0..<2 {
            for one in views.indices {
                for other in views.indices where other != one {
                    _ = try? views[one].circle.merge(news(views[other].circle), by: views[one].identity)
                }
            }
        }
        for view in views { #expect(removed.isDisjoint(with: view.circle.roster.members.keys)) }
    }
}
