// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import HandoffModel
import Synchronization
import Testing

/// Tests valid and invalid values from programs in other languages.
@Suite(.timeLimit(.minutes(5)))
struct HostileTests {
    private static let invalid = "org.batonproject.Baton1.Error.InvalidArgument"

    private static func tagged(_ tag: String, _ value: DBusValue) -> DBusValue {
        .structure([.string(tag), .variant(value)])
    }

    private static func publish(_ ends: Ends, _ type: String, _ properties: [String: DBusValue]) async throws -> String
    {
        try await ends.raw(BatonBusName.activities, "Publish", [.string(type), .properties(properties)])
            .first?.stringValue ?? ""
    }

    private static func refusal(_ body: () async throws -> Void) async -> DBusError? {
        do {
            try await body()
            return nil
        } catch { return error as? DBusError }
    }

    @Test("Values that userInfo cannot hold are refused, with the property and the key")
    func unsupportedUserInfoIsRefused() async throws {
        var deep = DBusValue.array(elementSignature: "v", [])
        for _ in 0..<26 { deep = .array(elementSignature: "v", [.variant(deep)]) }
        let allowed = deep
        let tokens = [DBusValue](repeating: .variant(.structure([.string("array"), .uint32(1)])), count: 33)
        let bad: [DBusValue] = [
            .objectPath("/a"), .signature("s"), .unixFD(OwnedDescriptor(adopting: dup(0))), .structure([.byte(1)]),
            Self.tagged("unheard", .byte(1)), Self.tagged("date", .string("x")), Self.tagged("date", .double(.nan)),
            Self.tagged("date", .structure([.double(1), .double(.infinity)])), Self.tagged("uuid", .string("x")),
            Self.tagged("null", .int32(1)), Self.tagged("null", .array(elementSignature: "i", [.int32(1)])),
            Self.tagged("url", .string("")), Self.tagged("set", .bytes([1])), Self.tagged("set", .string("x")),
            Self.tagged("string", .bytes([0xFF])), Self.tagged("string", .byte(1)),
            Self.tagged("dictionary", .strings(["x"])),
            Self.tagged(
                "dictionary", .array(elementSignature: "(sss)", [.structure([.string(""), .string(""), .string("")])])),
            Self.tagged("flat", .array(elementSignature: "v", [])),
            Self.tagged("flat", .array(elementSignature: "v", tokens + [.variant(.byte(1))])),
            Self.tagged(
                "flat", .array(elementSignature: "v", [.variant(.structure([.string("array"), .uint32(.max)]))])),
            Self.tagged("flat", .array(elementSignature: "v", [.variant(.structure([.string("heap"), .uint32(0)]))])),
            Self.tagged("flat", .array(elementSignature: "v", [.variant(.byte(1)), .variant(.byte(1))])),
            .dictionary(
                keySignature: "y", valueSignature: "y",
                [DBusValue.Entry(.byte(1), .byte(1)), DBusValue.Entry(.byte(1), .byte(2))]),
            .array(elementSignature: "o", [.objectPath("/a")]),
        ]
        try await Ends.with { ends in
            for value in bad {
                let error = await Self.refusal {
                    _ = try await Self.publish(ends, "t", ["userInfo": .properties(["the key": value])])
                }
                #expect(error?.name == Self.invalid, "\(value)")
                #expect(error?.message.hasPrefix("userInfo[\"the key\"]") == true, "\(String(describing: error))")
            }
            // The value is within the limits of D-Bus and of userInfo.
            #expect(
                await Self.refusal { _ = try await Self.publish(ends, "t", ["userInfo": .properties(["k": allowed])]) }
                    == nil)
        }
    }

    @Test("A property that is unknown or has a wrong type is refused, and the error names it")
    func invalidPropertiesAreRefused() async throws {
        let bad: [(String, DBusValue)] = [
            ("webpageURL", .string("file:///etc/passwd")), ("webpageURL", .string("javascript:alert(1)")),
            ("webpageURL", .string("https://")), ("webpageURL", .string("http://x:65536")),
            ("webpageURL", .string("not a url")), ("webpageURL", .byte(1)),
            // Foundation and FoundationEssentials encode such a host differently, so it is refused.
            ("webpageURL", .string("https://bücher.example/")), ("referrerURL", .string("https://bücher.example/")),
            ("referrerURL", .string("")), ("referrerURL", .string("ftp://example.org/")),
            ("expirationDate", .double(.nan)), ("expirationDate", .string("now")),
            ("requiredUserInfoKeys", .string("a")),
            ("requiredUserInfoKeys", .array(elementSignature: "i", [.int32(1)])),
            ("title", .byte(1)), ("userInfo", .string("x")), ("userInfo", .strings([])), ("needsSave", .string("yes")),
            ("supportsContinuationStreams", .byte(1)), ("unheard", .byte(1)), ("team", .byte(1)),
            ("background", .byte(1)),
            ("clear", .strings(["unheard"])), ("clear", .byte(1)), ("clear", .strings(["title"])),
            ("targetContentIdentifier", .bytes([])), ("persistentIdentifier", .bytes([])),
        ]
        try await Ends.with { ends in
            for (name, value) in bad {
                let error = await Self.refusal { _ = try await Self.publish(ends, "t", [name: value]) }
                #expect(error?.name == Self.invalid, "\(name) \(value)")
                #expect(error?.message.hasPrefix(name) == true, "\(String(describing: error))")
            }
            for type in ["", String(repeating: "x", count: 256)] {
                #expect(await Self.refusal { _ = try await Self.publish(ends, type, [:]) }?.name == Self.invalid)
            }
            let both: [String: DBusValue] = ["title": .string("x"), "clear": .strings(["title"])]
            let refusal = await Self.refusal { _ = try await Self.publish(ends, "t", both) }
            #expect(refusal?.name == Self.invalid)
            #expect(refusal?.message == BatonError(argument: "title", .argumentTwice).message)
            for name in ["team", "application", "background"] {
                let late = await Self.refusal {
                    _ = try await ends.raw(
                        BatonBusName.activities, "Update", [.string("a1"), .properties([name: .string("x")])])
                }
                #expect(late?.message == BatonError(argument: name, .argumentFixed).message)
            }
            for (method, options, expected) in Self.badOptions {
                let error = await Self.refusal {
                    _ = try await ends.raw(BatonBusName.offers, method, [.string("o"), .properties(options)])
                }
                #expect(error?.name == Self.invalid)
                #expect(error?.message == expected.message)
            }
            #expect(
                await Self.refusal { _ = try await ends.raw(BatonBusName.activities, "Publish", [.string("t")]) }?.name
                    == DBusError.invalidArguments)
            #expect(ends.handler.calls.isEmpty)
        }
    }

    private static let badOptions: [(method: String, options: [String: DBusValue], error: BatonError)] = [
        ("Continue", ["unheard": .byte(1)], BatonError(argument: "options.unheard", .argumentUnknown)),
        ("Continue", ["timeout": .double(-1)], timeout), ("Continue", ["timeout": .string("")], timeout),
        ("Open", ["app": .string("a")], BatonError(argument: "options.app", .argumentUnknown)),
        ("Open", ["application": .byte(1)], BatonError(argument: "application", .argumentType, ["type": "s"])),
        ("Open", ["application": .string("")], application), ("Open", ["application": .string("a/b")], application),
        ("Open", ["application": .string("a\nb")], application),
    ]
    private static let timeout = BatonError(
        argument: "timeout", .argumentRange, ["least": .count(0), "greatest": .count(3_600)])
    private static let application = BatonError(
        argument: "application", .argumentIdentifier, ["greatest": .count(255)])

    @Test("The client refuses invalid values before it sends them")
    func theClientRefusesToo() async throws {
        try await Ends.with { ends in
            var file = ActivityState(activityType: "t", webpageURL: URL(fileURLWithPath: "/etc/passwd"))
            #expect(await code { _ = try await ends.client.publish(file) } == .invalidArgument)
            file.webpageURL = nil
            let deep = RoundTripTests.nested { .array([$0]) }
            file.userInfo = ["k": .array([deep])]
            #expect(await code { _ = try await ends.client.publish(file) } == .invalidArgument)
            #expect(
                await code { _ = try await ends.client.publish(ActivityState(activityType: "")) } == .invalidArgument)
            #expect(await code { try await ends.client.becomeCurrent(activity: "a\0") } == .invalidArgument)
        }
    }

    @Test("Types that other languages use by default are accepted")
    func naturalTypesAreUnderstood() async throws {
        let info: [String: DBusValue] = [
            "y": .byte(1), "n": .int16(-2), "q": .uint16(3), "i": .int32(-4), "u": .uint32(5), "x": .int64(-6),
            "t": .uint64(7), "as": .strings(["a"]), "ad": .array(elementSignature: "d", [.double(1)]),
            "aay": .array(elementSignature: "ay", [.bytes([1])]), "date": Self.tagged("date", .int64(10)),
            "date d": Self.tagged("date", .double(10.5)), "date (sd)": .structure([.string("date"), .double(10.5)]),
            "a{is}": .dictionary(
                keySignature: "i", valueSignature: "s", [DBusValue.Entry(.int32(1), .string("one"))]),
            "vv": .variant(.variant(.bool(true))),
        ]
        let expected: UserInfo = [
            "y": .int(1), "n": .int(-2), "q": .int(3), "i": .int(-4), "u": .int(5), "x": .int(-6), "t": .int(7),
            "as": .array(["a"]),
            "ad": .array([.double(1)]), "aay": .array([.data(Data([1]))]),
            "date": .date(Date(timeIntervalSince1970: 10)), "date d": .date(Date(timeIntervalSince1970: 10.5)),
            "date (sd)": .date(Date(timeIntervalSince1970: 10.5)), "a{is}": .dictionary([.int(1): "one"]),
            "vv": .bool(true),
        ]
        try await Ends.with { ends in
            let id = try await Self.publish(ends, "t", ["userInfo": .properties(info), "expirationDate": .int64(5)])
            let state = ends.handler.state.withLock { $0.activities[id] }
            #expect(state?.userInfo == expected)
            #expect(state?.expirationDate == Date(timeIntervalSince1970: 5))
        }
    }
}
