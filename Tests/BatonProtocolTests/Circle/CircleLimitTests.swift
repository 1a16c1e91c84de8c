// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleLimitTests {
    let founder = DeviceIdentity()

    @Test("A circle has at most 128 members, and a further one is rejected without any change")
    func aCircleHas128Members() throws {
        var circle = try Circle(foundedBy: founder, name: "Founder")
        let statements = try (1...127).map { number in
            try Statement(adding: NumberedDevice(UInt32(number)), to: circle.id, by: founder)
        }
        var roster = circle.roster
        try roster.merge(statements)
        #expect(roster.members.count == 128)

        let full = roster
        expectRefusal(.limitReached) {
            try roster.merge([Statement(adding: NumberedDevice(129), to: circle.id, by: founder)])
        }
        #expect(roster == full)

        var told = circle.message
        told.statements = full.statements.map(\.message)
        var complete = try Circle(told)
        let before = complete
        expectRefusal(.limitReached) { try complete.add(NumberedDevice(129), by: founder) }
        #expect(complete == before)
        #expect(try circle.merge(complete))
        #expect(circle.roster == full)
    }

    /// A message with more devices than members are allowed, each added by the one before.
    ///
    /// The message is rejected, and each signature is checked at most once.
    @Test("A message with more members than a circle may have is rejected")
    func messageFullOfMembers() throws {
        let circle = try Circle(foundedBy: founder, name: "Founder")
        var message = circle.message
        for number in 129...383 {
            message.statements.append(
                try Statement(adding: NumberedDevice(UInt32(number)), to: circle.id, by: founder).message)
        }
        let encoded = Array(try message.serializedData() as Data)
        expectRefusal(.limitReached) { try Circle(encoded: encoded) }
    }

    @Test("A signer adds at most 256 devices, but another member can still add more")
    func aSignerTakes256In() throws {
        let friend = DeviceIdentity()
        var roster = try Roster(foundedBy: founder, name: "Founder")
        let statements = try (1...255).map {
            try Statement(adding: friend, "L \($0)", to: roster.circle, by: founder)
        }
        try roster.merge(statements)
        #expect(roster.statements.count == 256)

        let full = roster
        expectRefusal(.limitReached) {
            try roster.merge([Statement(adding: friend, "L 256", to: roster.circle, by: founder)])
        }
        #expect(roster == full)
        try roster.merge([Statement(adding: founder, "L 256", to: roster.circle, by: friend)])
        #expect(roster.statements.count == 257)
    }

    /// The ids of the two devices begin with acb3169c. They were found by a search.
    @Test("A device with a member's short id is rejected")
    func sameShortIDIsRefused() throws {
        let (one, two) = (try NumberedDevice(43_060), try NumberedDevice(57_620))
        #expect(one.id.short == 0xACB3_169C)
        #expect(two.id.short == 0xACB3_169C)
        #expect(one.id != two.id)

        let alone = try Circle(foundedBy: founder, name: "Founder")
        var circle = alone
        try circle.add(one, by: founder)
        let before = circle
        expectRefusal(.limitReached) { try circle.add(two, by: founder) }
        #expect(circle == before)

        expectRefusal(.limitReached) {
            var other = alone
            try other.add(two, by: founder)
            try other.add(one, by: founder)
        }
    }

    @Test(
        "If two devices share a short id, the one with the smaller id is a member in any order, and the circle does not split"
    )
    func sameShortIDPartsNothing() throws {
        let alone = try Circle(foundedBy: founder, name: "Founder")
        let both = [try NumberedDevice(43_060), try NumberedDevice(57_620)]
        let smaller = try #require(both.map(\.id).min())
        var told = [alone, alone]
        for (index, device) in both.enumerated() { try told[index].add(device, by: founder) }
        var merged = told
        _ = try merged[0].merge(told[1])
        _ = try merged[1].merge(told[0])
        #expect(merged[0].roster == merged[1].roster)
        #expect(Set(merged[0].roster.members.keys) == [founder.id, smaller])
        // Both circles contain a device that joins afterwards.
        var later = merged[0]
        try later.add(DeviceIdentity(), "Tablet", by: founder)
        #expect(try merged[1].merge(later) && merged[1].roster == later.roster)
        // The other device becomes a member once the first is removed.
        try later.remove(smaller, by: founder)
        #expect(later.roster.members.count == 3)
    }

    @Test("A made-up device cannot displace a device with the same short id that the founder has added")
    func madeUpNumberPushesNobodyOut() throws {
        let both = [try NumberedDevice(43_060), try NumberedDevice(57_620)].sorted { $0.id < $1.id }
        let (phantom, laptop, thief) = (both[0], both[1], DeviceIdentity())
        var circle = try Circle(foundedBy: founder, name: "Founder")
        try circle.add(thief, "Thief", by: founder)
        var (with, without) = (circle, circle)
        try with.add(phantom, by: thief)
        try without.add(laptop, by: founder)
        _ = try with.merge(without)
        _ = try without.merge(with)
        #expect(with.roster == without.roster)
        #expect(Set(with.roster.members.keys) == [founder.id, thief.id, laptop.id])
    }

    @Test("A circle of more than 902,144 bytes is rejected before it is read")
    func longCircleIsNotLookedAt() throws {
        let encoded = try Circle(foundedBy: founder, name: "Founder").encoded()
        // Adds an unknown field of many bytes, which protobuf alone would ignore.
        func padded(to count: Int) throws -> [UInt8] {
            var (rest, varint) = (count - encoded.count - 4, [UInt8]())
            while rest > 0x7F {
                varint.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            varint.append(UInt8(rest))
            try #require(varint.count == 3)
            return encoded + [0x7A] + varint + [UInt8](repeating: 0, count: count - encoded.count - 4)
        }
        #expect(Circle.maximumEncodedLength == 902_144)
        _ = try Circle(encoded: padded(to: 902_144))
        expectRefusal(.malformed) { try Circle(encoded: padded(to: 902_145)) }
    }

    /// A member sends one half to each of two devices. When the halves are merged, the circle must
    /// not become too large to read.
    @Test("A merge of two large circles is refused if members could not read the result")
    func circleStaysReadable() throws {
        let signers = (0..<4).map { _ in DeviceIdentity() }
        let base = try Circle(foundedBy: founder, name: "Founder")
        let joined =
            try base.message.statements
            + signers.map { signer in
                try Statement(adding: signer, to: base.id, by: founder).message
            }
        let name = String(repeating: "n", count: 59)
        func told(by signers: ArraySlice<DeviceIdentity>) throws -> Circle {
            var message = base.message
            message.statements = joined
            for signer in signers {
                for number in 100..<350 {
                    message.statements.append(
                        try Statement(adding: founder, "\(name) \(number)", to: base.id, by: signer).message)
                }
            }
            return try Circle(encoded: Array(try message.serializedData() as Data))
        }
        var circle = try told(by: signers[..<2])
        let before = circle
        let other = try told(by: signers[2...])
        expectRefusal(.limitReached) { try circle.merge(other) }
        #expect(circle == before)
        #expect(try Circle(encoded: circle.encoded()) == circle)
    }
}
