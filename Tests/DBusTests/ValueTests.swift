// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ValueTests {
    static let values: [DBusValue] = [
        .byte(255), .bool(true), .bool(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
        .uint64(.max), .double(-0.1), .double(.infinity), .string(""), .string("Grüße, 世界 👋"), .objectPath("/a/b_1"),
        .signature("a{sv}(ii)"), .signature(""), .bytes([0, 1, 255]), .bytes([]), .strings(["a", "b"]), .strings([]),
        .array(elementSignature: "a{sv}", [.properties([:]), .properties(["k": .int32(1)])]),
        .array(elementSignature: "v", [.variant(.int64(1)), .variant(.strings(["x"]))]),
        .structure([.string("s"), .structure([.byte(1), .double(2)]), .array(elementSignature: "(yy)", [])]),
        .dictionary(keySignature: "i", valueSignature: "as", [DBusValue.Entry(.int32(1), .strings(["x"]))]),
        .dictionary(keySignature: "o", valueSignature: "a{sa{sv}}", []),
        .properties(["x": .variant(.variant(.byte(7))), "y": .bytes([1, 2, 3])]),
    ]

    @Test("A value of every type is unchanged after a round trip")
    func everyTypeRoundTrips() async throws {
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            for value in Self.values {
                let sent = DBusValue.structure([value])
                #expect(try await client.echo(sent, at: server) == sent)
            }
        }
    }

    @Test("A value that D-Bus cannot carry is refused before it is sent")
    func unsendableValuesAreRefused() async throws {
        var deep = DBusValue.byte(1)
        for _ in 0..<65 { deep = .variant(deep) }
        let refused: [(DBusValue, String)] = [
            (.string("a\0b"), DBusError.invalidArguments), (.objectPath("no/path"), DBusError.invalidArguments),
            (.objectPath("/a\0"), DBusError.invalidArguments), (.signature("a"), DBusError.invalidArguments),
            (.structure([]), DBusError.invalidArguments),
            (.array(elementSignature: "", []), DBusError.invalidArguments),
            (.array(elementSignature: "ii", []), DBusError.invalidArguments),
            (.array(elementSignature: "i", [.string("x")]), DBusError.invalidArguments),
            // An array of bytes must be a `.bytes` value.
            (.array(elementSignature: "y", [.byte(1)]), DBusError.invalidArguments),
            (.array(elementSignature: "y", []), DBusError.invalidArguments),
            (.dictionary(keySignature: "v", valueSignature: "v", []), DBusError.invalidArguments),
            (
                .dictionary(keySignature: "s", valueSignature: "i", [DBusValue.Entry(.byte(1), .int32(1))]),
                DBusError.invalidArguments
            ),
            (.unixFD(OwnedDescriptor(adopting: -1)), DBusError.invalidArguments), (deep, DBusError.limitsExceeded),
        ]
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            for (value, name) in refused {
                #expect(await errorName { _ = try await client.echo(value, at: server) } == name)
            }
            for (destination, object, member) in [
                ("x", path, "Echo"), (server.uniqueName, "x", "Echo"), ("a.b", path, "1"),
            ] {
                let name = await errorName {
                    try await client.call(
                        destination: destination, path: object, interface: interface, member: member)
                }
                #expect(name == DBusError.invalidArguments)
            }
            #expect(try await client.echo(.byte(1), at: server) == .byte(1))
        }
    }

    @Test("A message beyond the receiver's limits gets LimitsExceeded, and the connection continues")
    func oversizedAndTooDeepMessagesAreRefused() async throws {
        var limits = DBusLimits()
        limits.values = 1_000
        limits.bytes = 1_000
        limits.depth = 8
        try await withPair(limits: limits) { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            var deep = DBusValue.byte(1)
            for _ in 0..<20 { deep = .variant(deep) }
            let large: [DBusValue] = [
                .bytes([UInt8](repeating: 0, count: 1_001)), .string(String(repeating: "x", count: 1_001)), deep,
                .array(elementSignature: "i", [DBusValue](repeating: .int32(1), count: 1_000)),
            ]
            for value in large {
                #expect(await errorName { _ = try await client.echo(value, at: server) } == DBusError.limitsExceeded)
            }
            let within = DBusValue.bytes([UInt8](repeating: 0, count: 1_000))
            #expect(try await client.echo(within, at: server) == within)
        }
    }

    @Test("An array of 200 kB takes 200 kB of memory, and a value takes at most three words")
    func bytesAreKeptAsBytes() async throws {
        #expect(MemoryLayout<DBusValue>.stride <= 24)
        let sent = [UInt8](repeating: 7, count: 200_000)
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            let received = try await client.echo(.bytes(sent), at: server)?.bytesValue
            #expect(received == sent)
            #expect((received?.capacity ?? .max) < 210_000)
        }
    }

    @Test("A variant's contents are read like the value itself")
    func accessorsReadThroughVariants() {
        #expect(DBusValue.variant(.variant(.int16(-3))).integer(as: Int.self) == -3)
        #expect(DBusValue.int64(-1).integer(as: UInt8.self) == nil)
        #expect(DBusValue.string("1").integer(as: Int.self) == nil)
        #expect(DBusValue.properties(["a": .bool(true)]).propertiesValue == ["a": .bool(true)])
        #expect(DBusValue.properties([:]).signature == "a{sv}")
        #expect(DBusValue.variant(.bytes([1, 2])).bytesValue == [1, 2])
        #expect(DBusValue.bytes([1, 2]).arrayValue == nil)
        #expect(DBusValue.strings(["a"]).stringsValue == ["a"])
        #expect([DBusValue.byte(1), .variant(.byte(1))].signature == "yv")
    }
}
