// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CallTests {
    @Test("Unknown objects, interfaces, methods and names have their own errors")
    func unknownTargetsAreNamed() async throws {
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            func call(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async
                -> String
            {
                await errorName {
                    try await client.call(
                        destination: server.uniqueName, path: path, interface: interface, member: member,
                        arguments: arguments)
                }
            }
            #expect(await call("/elsewhere", interface, "Echo") == DBusError.unknownObject)
            #expect(await call(path, "org.batonproject.Other", "Echo") == DBusError.unknownInterface)
            #expect(await call(path, interface, "Other") == DBusError.unknownMethod)
            #expect(await call(path, interface, "Echo", [.int32(1)]) == DBusError.invalidArguments)
            #expect(await call(path, interface, "Echo") == DBusError.invalidArguments)
            #expect(
                await errorName {
                    try await client.call(
                        destination: "org.batonproject.Nobody", path: path, interface: interface, member: "Echo")
                } == DBusError.serviceUnknown)
            #expect(await call(path, interface, "Nothing") == "no error")
        }
    }

    @Test("An error keeps its name and message, whatever they contain")
    func errorsKeepTheirNames() async throws {
        let errors = [
            DBusError(name: "org.bluez.Error.InProgress", message: "busy: ö"), DBusError(name: "a.b", message: ""),
        ]
        struct Other: Error {}
        let throwing = DBusInterface(
            interface,
            methods: [
                DBusMethod("Throw", inputs: [DBusArgument("which", "i")]) { call in
                    switch call.arguments.first?.integer(as: Int.self) {
                    case .some(let index) where errors.indices.contains(index): throw errors[index]
                    case 2: throw DBusError(name: "not a name", message: "a\0b")
                    default: throw Other()
                    }
                },
                DBusMethod("WrongReply", outputs: [DBusArgument("text", "s")]) { _ in [.int32(1)] },
            ])
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [throwing]), at: path)
            func error(_ member: String, _ arguments: [DBusValue]) async -> DBusError? {
                do {
                    try await client.call(
                        destination: server.uniqueName, path: path, interface: interface, member: member,
                        arguments: arguments)
                    return nil
                } catch { return error as? DBusError }
            }
            #expect(await error("Throw", [.int32(0)]) == errors[0])
            #expect(await error("Throw", [.int32(1)]) == errors[1])
            #expect(await error("Throw", [.int32(2)]) == DBusError(name: DBusError.failed, message: "ab"))
            #expect(await error("Throw", [.int32(3)])?.name == DBusError.failed)
            #expect(await error("WrongReply", [])?.name == DBusError.failed)
        }
    }

    @Test("A peer may call back before it replies, as bluetoothd does")
    func callBackWhileWaitingDoesNotDeadlock() async throws {
        try await withPair { server, client in
            let manager = DBusInterface(
                "org.freedesktop.DBus.ObjectManager",
                methods: [
                    DBusMethod("GetManagedObjects", outputs: [DBusArgument("objects", "a{oa{sa{sv}}}")]) { _ in
                        [.dictionary(keySignature: "o", valueSignature: "a{sa{sv}}", [])]
                    }
                ])
            let advertisement = DBusInterface(
                "org.bluez.LEAdvertisement1",
                properties: [DBusProperty("Type", constant: .string("peripheral"))])
            try client.export(DBusObject(interfaces: [manager, advertisement]), at: "/app/adv0")
            let register = DBusInterface(
                interface,
                methods: [
                    DBusMethod("Register", inputs: [DBusArgument("path", "o")], outputs: [DBusArgument("type", "s")]) {
                        [weak server] call in
                        guard let server, let path = call.arguments.first?.objectPathValue else { return [] }
                        try await server.call(
                            destination: call.sender, path: path, interface: "org.freedesktop.DBus.ObjectManager",
                            member: "GetManagedObjects")
                        let all = try await server.call(
                            destination: call.sender, path: path, interface: "org.freedesktop.DBus.Properties",
                            member: "GetAll", arguments: [.string("org.bluez.LEAdvertisement1")])
                        return [all.first?.propertiesValue?["Type"] ?? .string("none")]
                    }
                ])
            try server.export(DBusObject(interfaces: [register]), at: path)
            let reply = try await client.call(
                destination: server.uniqueName, path: path, interface: interface, member: "Register",
                arguments: [.objectPath("/app/adv0")])
            #expect(reply == [.string("peripheral")])
        }
    }

    @Test("Many simultaneous calls all get answers, and begin in order")
    func manyCallsAtOnce() async throws {
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...100 {
                    group.addTask {
                        try await client.echo(.int32(Int32(number)), at: server)?.integer(as: Int.self) ?? 0
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 5_050)
        }
    }
}
