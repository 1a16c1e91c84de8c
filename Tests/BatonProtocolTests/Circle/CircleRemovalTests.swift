// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// Tests removals, and the secret that follows a removal.
@Suite struct CircleRemovalTests {
    let founder = DeviceIdentity()
    let friend = DeviceIdentity()
    let thief = DeviceIdentity()
    /// Three devices. The founder has added the other two.
    let circle: Circle

    init() throws {
        var circle = try Circle(foundedBy: founder, name: "Founder")
        try circle.add(friend, "Friend", by: founder)
        try circle.add(thief, "Thief", by: founder)
        self.circle = circle
    }

    func news(_ circle: Circle) throws -> CircleNews { try CircleNews(encoded: circle.encoded()) }

    @Test("A removal makes a new secret, which the other members accept")
    func removalMakesANewSecret() throws {
        var (one, two) = (circle, circle)
        try one.remove(thief.id, by: founder)
        #expect(Set(one.roster.members.keys) == [founder.id, friend.id])
        #expect(one.secret != circle.secret)
        #expect(try two.merge(news(one), by: friend))
        #expect(two == one)
        #expect(try !two.merge(news(one), by: friend))
    }

    @Test("A removed device cannot return by replaying statements")
    func removedCannotComeBack() throws {
        var after = circle
        try after.remove(thief.id, by: founder)
        let known = after
        #expect(try !after.merge(news(circle), by: founder))
        // The thief makes a backdated Add, a removal of the devices that removed it, and a record
        // of the old secret with a high number.
        let helper = DeviceIdentity()
        var its = circle
        try its.add(helper, "Helper", by: thief)
        _ = try after.merge(news(its), by: founder)
        #expect(after.roster.members == known.roster.members)
        let record = try SecretRecord(
            number: .max, secret: circle.secret, circle: circle.id, removals: after.roster.removalsDigest,
            signer: thief)
        let forged = try CircleNews(
            encoded: after.changed { message in
                message.record = record.message
                message.secret = Data(circle.secret.secretBytes)
            })
        #expect(try !after.merge(forged, by: founder))
        #expect(after.secret == known.secret)
        expectRefusal(.untrusted) { try after.add(thief, "Thief", by: founder) }
    }

    @Test("A removed device can still remove others, but never add any")
    func removedCanOnlyEvict() throws {
        var after = circle
        try after.remove(thief.id, by: founder)
        var its = circle
        let accomplice = DeviceIdentity()
        try its.add(accomplice, "Accomplice", by: thief)
        try its.remove(friend.id, by: thief)
        _ = try after.merge(news(its), by: founder)
        #expect(Set(after.roster.members.keys) == [founder.id])
        #expect(after.roster.isGone(accomplice.id))
    }

    /// A device that a stolen device has added secretly stays until it is removed, too. So the
    /// roster shows which device added which.
    @Test("The roster shows which device added another before a removal")
    func sponsorsAreKnown() throws {
        var after = circle
        let (accomplice, another) = (DeviceIdentity(), DeviceIdentity())
        try after.add(accomplice, "Accomplice", by: thief)
        try after.add(another, "Another", by: accomplice)
        // The thief's devices vouch for each other, but such vouching does not count.
        try after.add(accomplice, "Accomplice", by: another)
        let unvouched = after.roster.members(vouchedForOnlyBy: thief.id, besides: founder.id)
        #expect(unvouched == [accomplice.id, another.id])
        #expect(after.roster.members(vouchedForOnlyBy: friend.id, besides: founder.id) == [])
        // If the founder is stolen, all devices are suspect except the asking device and those that
        // it added.
        #expect(after.roster.members(vouchedForOnlyBy: founder.id, besides: thief.id) == [friend.id])
        // Two stolen devices vouch for one device. That device is reported only when the last of
        // the two is removed.
        try after.add(another, "Another", by: friend)
        var both = after
        #expect(both.roster.members(vouchedForOnlyBy: friend.id, besides: founder.id) == [])
        try both.remove(friend.id, by: founder)
        #expect(both.roster.members(vouchedForOnlyBy: thief.id, besides: founder.id) == unvouched)
        try after.remove(thief.id, by: founder)
        #expect(after.roster.sponsors[accomplice.id] == [thief.id, another.id])
        #expect(after.roster.sponsors[founder.id] == nil)
        for device in unvouched { try after.remove(device, by: founder) }
        #expect(Set(after.roster.members.keys) == [founder.id, friend.id])
    }

    @Test("If a device has left, the devices that it added still count as added by its own sponsor")
    func goBetweenThatHasLeft() throws {
        var after = circle
        let (visitor, tablet, honest, guest) = (DeviceIdentity(), DeviceIdentity(), DeviceIdentity(), DeviceIdentity())
        try after.add(visitor, "Visitor", by: thief)
        try after.add(tablet, "Tablet", by: visitor)
        try after.remove(visitor.id, by: visitor)
        // An honest device that left still vouches, because a root added it.
        try after.add(honest, "Honest", by: founder)
        try after.add(guest, "Guest", by: honest)
        try after.remove(honest.id, by: honest)
        #expect(after.roster.members(vouchedForOnlyBy: thief.id, besides: founder.id) == [tablet.id])
        #expect(after.roster.members(vouchedForOnlyBy: friend.id, besides: founder.id) == [])
    }

    @Test("All devices that a device has added, directly or indirectly, count for its account")
    func accounts() throws {
        var after = circle
        let phantoms = (0..<6).map { _ in DeviceIdentity() }
        for phantom in phantoms.prefix(3) { try after.add(phantom, "Phantom", by: thief) }
        try after.add(phantoms[3], "Phantom", by: phantoms[0])
        try after.add(phantoms[4], "Phantom", by: phantoms[3])
        try after.add(phantoms[5], "Phantom", by: phantoms[4])
        try after.remove(phantoms[4].id, by: phantoms[4])
        let accounts = after.roster.accounts(besides: founder.id)
        #expect(accounts == Dictionary(uniqueKeysWithValues: [0, 1, 2, 3, 5].map { (phantoms[$0].id, thief.id) }))
        // A signature by another device with an account does not create a further account.
        try after.add(phantoms[1], "Phantom", by: friend)
        let one = try #require(after.roster.accounts(besides: founder.id)[phantoms[1].id])
        #expect([thief.id, friend.id].contains(one))
    }

    @Test("Devices that two members have both added share one account")
    func accountsOfTwo() throws {
        var after = circle
        let phantoms = (0..<5).map { _ in DeviceIdentity() }
        for phantom in phantoms { for sponsor in [thief, friend] { try after.add(phantom, "Phantom", by: sponsor) } }
        let accounts = after.roster.accounts(besides: founder.id)
        #expect(Set(accounts.keys) == Set(phantoms.map(\.id)))
        #expect(Set(accounts.values) == [try #require([thief.id, friend.id].min())])
    }

    @Test("A device that the founder added keeps its own account, and a removed device has no account")
    func accountIsNotCaptured() throws {
        var after = circle
        let (laptop, tablet) = (DeviceIdentity(), DeviceIdentity())
        try after.add(laptop, "Laptop", by: friend)
        try after.add(tablet, "Tablet", by: laptop)
        for device in [friend, tablet] { try after.add(device, "Mine", by: thief) }
        // The tablet is two Adds away from the founder through the friend, and one through the
        // thief.
        let accounts = after.roster.accounts(besides: founder.id)
        #expect(accounts == [laptop.id: friend.id, tablet.id: thief.id])
        #expect(after.roster.accounts(besides: laptop.id) == [:])
        // Once the thief is removed, its Add no longer counts.
        try after.remove(thief.id, by: founder)
        #expect(after.roster.accounts(besides: founder.id) == [laptop.id: friend.id, tablet.id: friend.id])
    }

    @Test("If a device with an account has left, one of the devices that it added gets the account")
    func accountOfOneThatHasLeft() throws {
        var after = circle
        let phantoms = (0..<3).map { _ in DeviceIdentity() }
        for phantom in phantoms { try after.add(phantom, "Phantom", by: thief) }
        try after.remove(thief.id, by: thief)
        let account = try #require(phantoms.map(\.id).min())
        let accounts = after.roster.accounts(besides: founder.id)
        #expect(accounts == Dictionary(uniqueKeysWithValues: phantoms.map { ($0.id, account) }))
    }

    @Test("Two members that remove each other are both removed")
    func twoRemoveEachOther() throws {
        var (one, two) = (circle, circle)
        try one.remove(friend.id, by: founder)
        try two.remove(founder.id, by: friend)
        var third = circle
        _ = try third.merge(news(one), by: thief)
        _ = try third.merge(news(two), by: thief)
        #expect(Set(third.roster.members.keys) == [thief.id])
        #expect(third.secret != one.secret && third.secret != two.secret)
    }

    @Test("Simultaneous removals and additions merge to one roster and one secret")
    func concurrentChangesMerge() throws {
        let newcomer = DeviceIdentity()
        var big = circle
        let fourth = DeviceIdentity()
        try big.add(fourth, "Fourth", by: friend)
        var (one, two) = (big, big)
        try one.remove(thief.id, by: founder)
        try two.remove(fourth.id, by: friend)
        try two.add(newcomer, "New", by: friend)
        let (first, second) = try (news(one), news(two))
        _ = try one.merge(second, by: founder)
        _ = try two.merge(first, by: friend)
        #expect(one.roster == two.roster)
        #expect(Set(one.roster.members.keys) == [founder.id, friend.id, newcomer.id])
        // No author of a secret knew both removals, so each device made a new secret. The devices
        // agree on one when they connect.
        let (third, fourthNews) = try (news(one), news(two))
        _ = try one.merge(fourthNews, by: founder)
        _ = try two.merge(third, by: friend)
        #expect(one == two)
    }

    @Test("A device leaves a circle by removing itself")
    func leavingIsRemovingOneself() throws {
        var (its, other) = (circle, circle)
        try its.remove(thief.id, by: thief)
        #expect(try other.merge(news(its), by: founder))
        #expect(other.roster.members[thief.id] == nil)
        #expect(other.secret != circle.secret)
    }

    @Test("Only members can remove, and only members can be removed")
    func onlyMembersRemove() throws {
        var after = circle
        expectRefusal(.untrusted) { try after.remove(friend.id, by: DeviceIdentity()) }
        expectRefusal(.untrusted) { try after.remove(DeviceIdentity().id, by: founder) }
        #expect(after == circle)
        try after.remove(friend.id, by: founder)
        expectRefusal(.untrusted) { try after.remove(friend.id, by: founder) }
        expectRefusal(.untrusted) { try after.remove(thief.id, by: friend) }
    }

    @Test("A new name reaches all devices, the last name counts, and old names are dropped")
    func renameSpreads() throws {
        var (one, two) = (circle, circle)
        for name in ["Zebra", "Ant"] { try one.rename(to: name, by: friend) }
        #expect(one.roster.members[friend.id]?.name == "Ant")
        try one.rename(to: "Yak", by: friend)
        #expect(try two.merge(news(one), by: founder))
        #expect(two.roster.members[friend.id]?.name == "Yak")
        #expect(two.secret == circle.secret)
        #expect(one.roster.statements.count == circle.roster.statements.count, "former names are not kept")
        expectRefusal(.untrusted) { try two.rename(to: "x", by: DeviceIdentity()) }
        expectRefusal(.malformed) { try two.rename(to: "", by: friend) }
    }

    @Test("The number of the secret stops at its maximum, but the secret can still change")
    func numberStopsAtItsMaximum() throws {
        let record = try SecretRecord(after: .max, secret: CircleSecret(), in: circle.roster, signer: founder)
        #expect(record.number == .max)
        #expect(try SecretRecord(after: 7, secret: CircleSecret(), in: circle.roster, signer: founder).number == 8)
        // At the maximum, the secret changes and its number stays.
        var high = try Circle(
            encoded: circle.changed { message in
                message.record =
                    try SecretRecord(
                        number: .max, secret: circle.secret, circle: circle.id,
                        removals: circle.roster.removalsDigest, signer: thief
                    ).message
            })
        try high.remove(thief.id, by: founder)
        #expect(high.secret != circle.secret)
        var other = circle
        #expect(try other.merge(news(high), by: friend))
        #expect(other == high)
    }

    /// A thief has filled two devices' rosters with different statements, up to the limit.
    @Test("A roster filled by a thief still accepts the thief's removal")
    func filledRosterTakesRemoval() throws {
        func filled(_ range: ClosedRange<Int>) throws -> Circle {
            var message = circle.message
            for number in range {
                message.statements.append(
                    try Statement(adding: founder, "Name \(number)", to: circle.id, by: thief).message)
            }
            return try Circle(message)
        }
        var (one, two) = (try filled(1...200), try filled(201...400))
        expectRefusal(.limitReached) { try two.merge(news(one), by: friend) }
        try one.remove(thief.id, by: founder)
        #expect(try two.merge(news(one), by: friend))
        #expect(two.roster.members[thief.id] == nil)
        #expect(two.secret == one.secret)
    }

    @Test("Malformed removals are rejected")
    func malformedRemovalsAreRefused() throws {
        func state(_ change: (inout WireRemove) -> Void) throws -> [UInt8] {
            var shrunk = circle
            try shrunk.remove(thief.id, by: founder)
            return try shrunk.changed { message in
                for index in message.statements.indices {
                    var body = try WireStatementBody(serializedBytes: message.statements[index].body)
                    guard case .remove(var remove)? = body.kind else { continue }
                    change(&remove)
                    body.remove = remove
                    message.statements[index].body = try body.serializedData()
                }
            }
        }
        for change: (inout WireRemove) -> Void in [
            { $0.gone.removeLast() }, { $0.gone = Data() }, { $0.stays[0].append(0) },
            { $0.stays = Array(repeating: Data(repeating: 1, count: 32), count: 129) },
        ] {
            expectRefusal(.malformed) { try CircleNews(encoded: state(change)) }
        }
        // A changed removal has no valid signature, so no member vouches for the secret that
        // depends on it.
        expectRefusal(.untrusted) { try Circle(encoded: state { $0.stays.removeLast() }) }
    }

    @Test("A removal from the largest circle, which lists all remaining devices, fits")
    func largestRemovalFits() throws {
        var message = circle.message
        message.statements += try (1...125).map {
            try Statement(adding: NumberedDevice(UInt32($0)), to: circle.id, by: founder).message
        }
        var large = try Circle(message)
        #expect(large.roster.members.count == 128)
        try large.remove(thief.id, by: founder)
        #expect(try Circle(encoded: large.encoded()) == large)
        #expect(large.roster.members.count == 127)
    }
}
