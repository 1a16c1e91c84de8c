// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ObjectTests {
    private final class Store: Sendable {
        let text = Mutex("before")
    }

    private func object(_ store: Store) -> DBusObject {
        DBusObject(interfaces: [
            DBusInterface(
                interface,
                methods: [
                    DBusMethod("Do", inputs: [DBusArgument("what", "a{sv}")], outputs: [DBusArgument("ok", "b")]) { _ in
                        [.bool(true)]
                    }
                ],
                properties: [
                    DBusProperty("Fixed", constant: .uint32(7)),
                    DBusProperty(
                        "Text", "s", get: { .string(store.text.withLock { $0 }) },
                        set: { value, _ in store.text.withLock { $0 = value.stringValue ?? "" } }),
                    DBusProperty("Wrong", "s", get: { .int32(1) }),
                    DBusProperty("Told", "b", changes: .told) { _ in .bool(true) },
                ], signals: [DBusSignalDescription("Done", [DBusArgument("what", "s")])]),
            DBusInterface("org.batonproject.Test2", properties: [DBusProperty("Only", constant: .bool(true))]),
        ])
    }

    private func properties(
        _ client: DBusConnection, _ server: DBusConnection, _ member: String, _ arguments: [DBusValue]
    ) async throws -> DBusValue? {
        try await client.call(
            destination: server.uniqueName, path: path, interface: "org.freedesktop.DBus.Properties", member: member,
            arguments: arguments
        ).first
    }

    @Test("Properties are read and set, and invalid access has the right error")
    func propertiesAreReadAndSet() async throws {
        try await withPair { server, client in
            try server.export(object(Store()), at: path)
            let name = DBusValue.string(interface)
            #expect(try await properties(client, server, "Get", [name, .string("Fixed")]) == .variant(.uint32(7)))
            _ = try await properties(client, server, "Set", [name, .string("Text"), .variant(.string("after"))])
            #expect(try await properties(client, server, "Get", [name, .string("Text")])?.stringValue == "after")
            let all = try await properties(client, server, "GetAll", [.string("org.batonproject.Test2")])
            #expect(all?.propertiesValue == ["Only": .bool(true)])
            let refused: [(String, [DBusValue], String)] = [
                ("Get", [name, .string("None")], DBusError.unknownProperty),
                ("Get", [.string("a.b"), .string("Fixed")], DBusError.unknownInterface),
                ("Get", [name, .string("Wrong")], DBusError.failed), ("Get", [name], DBusError.invalidArguments),
                ("GetAll", [.string("a.b")], DBusError.unknownInterface),
                ("Set", [name, .string("Fixed"), .variant(.uint32(1))], DBusError.propertyReadOnly),
                ("Set", [name, .string("Text"), .variant(.uint32(1))], DBusError.invalidArguments),
            ]
            for (member, arguments, error) in refused {
                #expect(await errorName { _ = try await properties(client, server, member, arguments) } == error)
            }
        }
    }

    @Test("Introspection shows everything that is exported")
    func introspectionShowsEverything() async throws {
        try await withPair { server, client in
            try server.export(object(Store()), at: path)
            func introspect(_ path: String) async throws -> String {
                try await client.call(
                    destination: server.uniqueName, path: path, interface: "org.freedesktop.DBus.Introspectable",
                    member: "Introspect"
                ).first?.stringValue ?? ""
            }
            let text = try await introspect(path)
            for part in [
                "<interface name=\"\(interface)\">", "<method name=\"Do\">",
                "<arg name=\"what\" type=\"a{sv}\" direction=\"in\"/>",
                "<arg name=\"ok\" type=\"b\" direction=\"out\"/>",
                "<signal name=\"Done\">", "<property name=\"Text\" type=\"s\" access=\"readwrite\">",
                "<property name=\"Fixed\" type=\"u\" access=\"read\">",
                "<property name=\"Told\" type=\"b\" access=\"read\"/>",
                "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"const\"/>",
                "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"false\"/>",
                "org.freedesktop.DBus.Properties", "<signal name=\"PropertiesChanged\">",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(try await introspect("/").contains("<node name=\"org\"/>"))
            #expect(try await introspect("/org/batonproject").contains("<node name=\"Test\"/>"))
            #expect(await errorName { _ = try await introspect("/elsewhere") } == DBusError.unknownObject)
            server.unexport(path: path)
            #expect(await errorName { _ = try await introspect(path) } == DBusError.unknownObject)
        }
    }

    @Test("Every path answers the Peer interface")
    func everyPathAnswersPeer() async throws {
        try await withPair { server, client in
            let peer = "org.freedesktop.DBus.Peer"
            try await client.call(destination: server.uniqueName, path: "/any", interface: peer, member: "Ping")
            let id = try await client.call(
                destination: server.uniqueName, path: "/", interface: peer, member: "GetMachineId")
            #expect(id.first?.stringValue?.utf8.count == 32)
        }
    }

    @Test("Invalid exports are refused")
    func invalidExportsAreRefused() async throws {
        try await withPair { server, _ in
            let bad = [
                DBusInterface("nodots"), DBusInterface("a.b", methods: [DBusMethod("1") { _ in [] }]),
                DBusInterface("a.b", methods: [DBusMethod("M", inputs: [DBusArgument("x", "ii")]) { _ in [] }]),
                DBusInterface("a.b", properties: [DBusProperty("P", "", get: { .byte(1) })]),
            ]
            for interface in bad {
                #expect(
                    await errorName { try server.export(DBusObject(interfaces: [interface]), at: path) }
                        == DBusError.invalidArguments)
            }
            #expect(
                await errorName { try server.export(DBusObject(interfaces: []), at: "x") } == DBusError.invalidArguments
            )
        }
    }
}
