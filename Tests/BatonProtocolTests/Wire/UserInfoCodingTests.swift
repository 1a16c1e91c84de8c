// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct UserInfoCodingTests {
    private func roundTrip(_ value: UserInfoValue) throws -> UserInfoValue? {
        try UserInfoCoding.decode(UserInfoCoding.encode(["key": value]))["key"]
    }

    private func url(_ text: String, _ base: String? = nil) throws -> UserInfoValue {
        .url(try #require(URL(string: text, relativeTo: base.flatMap { URL(string: $0) })))
    }

    @Test("Values of all types in userInfo arrive unchanged")
    func everyTypeArrivesAsItWas() throws {
        let values: [UserInfoValue] = [
            .null, .bool(true), .bool(false), .int(0), .int(1), .int(-1), .int(.min), .int(.max),
            .uint(UInt64(Int64.max) + 1), .uint(.max), .double(0), .double(1), .double(.pi), .double(.infinity),
            .double(.leastNonzeroMagnitude), .string(""), .string("e\u{301}\u{0}👩‍👩‍👧"), .data(Data()),
            .data(Data(0...255)), .date(.distantPast), .date(.distantFuture),
            .date(Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)), .uuid(UUID()), try url("http://a/b%20c?d#e"),
            try url("../x", "http://a/b/c"), .url(URL(fileURLWithPath: "/tmp/a b/ü", isDirectory: true)),
            try url("mailto:a@b"), .array([]), .set([]), .dictionary([:]), .array([.null, .array([.int(1)])]),
            .set([.int(1), .bool(true), .double(1), .string("1"), .set([.set([])])]),
            .dictionary([.null: .null, .int(1): .int(2), .bool(true): .null, .array([.int(1)]): .set([.int(1)])]),
        ]
        for value in values { #expect(try roundTrip(value) == value) }
    }

    @Test("Numbers and dates keep their bits and their type")
    func numbersKeepTheirBits() throws {
        for bits: UInt64 in [0x8000_0000_0000_0000, 0x7FF8_0000_0000_0001, 0xFFF0_0000_0000_0001, 1] {
            let number = Double(bitPattern: bits)
            guard case .double(let double) = try roundTrip(.double(number)),
                case .date(let date) = try roundTrip(.date(Date(timeIntervalSinceReferenceDate: number)))
            else {
                Issue.record("another type")
                continue
            }
            #expect(double.bitPattern == bits)
            #expect(date.timeIntervalSinceReferenceDate.bitPattern == bits)
        }
        #expect(try roundTrip(.int(1)) != .bool(true))
        #expect(try roundTrip(.double(1)) == .double(1))
    }

    @Test("NaN is refused as a key and as a member of a set")
    func nanIsNoKeyAndNoMember() throws {
        let nan = UserInfoValue.double(.nan)
        let date = UserInfoValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        for value in [nan, date, .array([.int(1), nan]), .dictionary(["k": date]), .set([.array([nan])])] {
            for info: UserInfo in [["k": .set([value])], [value: .null], ["k": .array([.dictionary([value: .null])])]] {
                #expect(throws: WireError.self) { try UserInfoCoding.encode(info) }
            }
        }
        #expect(try UserInfoCoding.decode(UserInfoCoding.encode(["k": .array([nan])])).count == 1)

        // A hostile member writes as many values as fit.
        var member = WireValue()
        member.double = .nan
        var list = WireList()
        list.elements = Array(repeating: member, count: 5_000)
        var set = WirePair()
        set.key.string = "k"
        set.value.set = list
        var key = WirePair()
        key.key = member
        key.value.null = WireNull()
        for pair in [set, key] {
            var message = WireDictionary()
            message.pairs = [pair]
            let error = #expect(throws: WireError.self) { try UserInfoCoding.decode(message.serializedBytes()) }
            #expect(error?.message.contains("NaN") == true)
        }
    }

    @Test("A text with very many combining marks is rejected")
    func textOfMarksIsRefused() throws {
        let within = UserInfoValue.string("a" + String(repeating: "\u{301}", count: 64))
        #expect(try roundTrip(within) == within)
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 33)
        #expect(throws: WireError.self) { try UserInfoCoding.encode(["k": .string(marks)]) }
        #expect(throws: WireError.self) { try UserInfoCoding.encode([.string(marks): .null]) }
        var message = WireDictionary()
        message.pairs = [WirePair()]
        message.pairs[0].key.string = marks
        message.pairs[0].value.null = WireNull()
        let error = #expect(throws: WireError.self) { try UserInfoCoding.decode(message.serializedBytes()) }
        #expect(error?.message.contains("combining marks") == true)
    }

    @Test("A URL with very many combining marks is rejected")
    func urlOfMarksIsRefused() throws {
        let marks = "http://example.org/a" + String(repeating: "\u{301}\u{316}", count: 33)
        let made: [(inout WireUrl) -> Void] = [{ $0.text = marks }, { ($0.text, $0.base) = ("b", marks) }]
        for make in made {
            var message = WireDictionary()
            message.pairs = [WirePair()]
            message.pairs[0].key.string = "k"
            make(&message.pairs[0].value.url)
            let error = #expect(throws: WireError.self) { try UserInfoCoding.decode(message.serializedBytes()) }
            #expect(error?.message.contains("combining marks") == true)
        }
    }

    @Test("Strings keep their Unicode scalars")
    func stringsKeepTheirScalars() throws {
        guard case .string(let text) = try roundTrip("e\u{301}") else {
            Issue.record("another type")
            return
        }
        #expect(Array(text.unicodeScalars) == Array("e\u{301}".unicodeScalars))
    }

    @Test("Equal dictionaries give equal bytes")
    func equalInfosGiveEqualBytes() throws {
        let pairs = (0..<100).map { (UserInfoValue.int($0), UserInfoValue.set([.int($0), "a", "b", "c"])) }
        let first = try UserInfoCoding.encode(UserInfo(uniqueKeysWithValues: pairs))
        #expect(try UserInfoCoding.encode(UserInfo(uniqueKeysWithValues: pairs.reversed())) == first)
    }

    @Test("Contents of up to 65,536 bytes are accepted, and larger contents are not")
    func largestSizePasses() throws {
        func info(_ count: Int) -> UserInfo { ["key": .data(Data(count: count))] }
        let overhead = try UserInfoCoding.encode(info(60_000)).count - 60_000
        let largest = info(UserInfoCoding.maximumSize - overhead)
        #expect(try UserInfoCoding.encode(largest).count == UserInfoCoding.maximumSize)
        #expect(try UserInfoCoding.decode(UserInfoCoding.encode(largest)) == largest)
        let error = #expect(throws: WireError.self) {
            try UserInfoCoding.encode(info(UserInfoCoding.maximumSize - overhead + 1))
        }
        #expect(error?.code == .userInfoTooLarge)
        #expect(throws: WireError.self) { try UserInfoCoding.decode([UInt8](repeating: 0, count: 65_537)) }
        var state = ActivityState(activityType: "t", userInfo: info(1_000_000))
        let handoff = #expect(throws: WireError.self) { _ = try EncodedActivity(state) }
        #expect(handoff?.code == .userInfoTooLarge)
        state.userInfo = info(3_072)
        #expect(try EncodedActivity(state).userInfoSize > UserInfoCoding.advisedSize)
    }

    private func nested(_ depth: Int, _ wrap: (UserInfoValue) -> UserInfoValue) -> UserInfoValue {
        (0..<depth).reduce(.null) { value, _ in wrap(value) }
    }

    @Test("Thirty-two nested containers are accepted, and thirty-three are not")
    func deepestContainersPass() throws {
        let wraps: [(UserInfoValue) -> UserInfoValue] = [
            { .array([$0]) }, { .set([$0]) }, { .dictionary([.null: $0]) }, { .dictionary([$0: .null]) },
        ]
        for wrap in wraps {
            let deepest = nested(UserInfoValue.maximumDepth, wrap)
            #expect(try roundTrip(deepest) == deepest)
            #expect(throws: WireError.self) { try UserInfoCoding.encode(["key": nested(33, wrap)]) }
        }
    }

    @Test("Excessive depth is rejected on decoding, before the stack overflows")
    func depthIsRefusedOnDecoding() throws {
        for depth in [33, 34, 40, 5_000] {
            var value: [UInt8] = [0x0A, 0]
            // Each container is an array (field 11) with one element (field 1).
            for _ in 0..<depth { value = Self.field(11, Self.field(1, value)) }
            let bytes = Self.field(1, Self.field(1, [0x0A, 0]) + Self.field(2, value))
            #expect(throws: WireError.self) { try UserInfoCoding.decode(bytes) }
        }
    }

    private static func field(_ number: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length = body.count
        var bytes = [number << 3 | 2]
        while length > 0x7F {
            bytes.append(UInt8(length & 0x7F | 0x80))
            length >>= 7
        }
        return bytes + [UInt8(length)] + body
    }

    @Test("More than 16,384 values are rejected")
    func tooManyValuesAreRefused() throws {
        let most = UserInfoValue.array(Array(repeating: .null, count: UserInfoCoding.maximumValues - 2))
        #expect(throws: WireError.self) {
            try UserInfoCoding.encode(["key": most, "other": .array([.null, .null])])
        }
        // No more values than this fit into 65,536 bytes.
        let fitting = UserInfoValue.array(Array(repeating: .null, count: 16_000))
        #expect(try roundTrip(fitting) == fitting)
    }

    private func decode(_ value: WireValue, key: WireValue = WireValue()) throws -> UserInfo {
        var pair = WirePair()
        pair.key = key
        if pair.key.kind == nil { pair.key.string = "key" }
        pair.value = value
        var dictionary = WireDictionary()
        dictionary.pairs = [pair]
        return try UserInfoCoding.decode(dictionary.serializedBytes())
    }

    @Test("An unsigned integer that fits into a signed one is rejected")
    func integersHaveOneForm() throws {
        var value = WireValue()
        value.uint = UInt64(Int64.max)
        #expect(throws: WireError.self) { try decode(value) }
        #expect(throws: WireError.self) { try UserInfoCoding.encode(["key": .uint(1)]) }
        value.uint = UInt64(Int64.max) + 1
        #expect(try decode(value) == ["key": .uint(UInt64(Int64.max) + 1)])
    }

    @Test("A repeated member of a set, or a repeated key of a dictionary, is rejected")
    func whatIsTwiceIsRefused() throws {
        var element = WireValue()
        element.double = 0
        var other = WireValue()
        other.double = -0.0
        var set = WireValue()
        set.set.elements = [element, other]
        #expect(throws: WireError.self) { try decode(set) }
        var dictionary = WireValue()
        var pair = WirePair()
        pair.key = element
        pair.value = element
        dictionary.dictionary.pairs = [pair, pair]
        #expect(throws: WireError.self) { try decode(dictionary) }
    }

    @Test("Invalid values, such as an impossible URL, are rejected")
    func valuesThatAreNoneAreRefused() throws {
        #expect(throws: WireError.self) { try decode(WireValue()) }
        var value = WireValue()
        value.uuid = Data(count: 15)
        #expect(throws: WireError.self) { try decode(value) }
        for text in ["", "http://a b/", "http://a/%zz"] {
            value.url.text = text
            #expect(throws: WireError.self, "\(text)") { try decode(value) }
        }
    }

    @Test("Random bytes are rejected, or decoded to a userInfo that can be encoded again")
    func noiseDoesNoMore() throws {
        var generator = SeededGenerator(seed: 3)
        let good = try UserInfoCoding.encode(FrameVectorTests.state().userInfo)
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            // A decoded userInfo can be encoded again.
            if let info = try? UserInfoCoding.decode(bytes) { _ = try UserInfoCoding.encode(info) }
        }
    }
}
