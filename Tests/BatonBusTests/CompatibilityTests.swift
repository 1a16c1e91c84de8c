// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Foundation
import Testing

/// An older library works with a newer daemon, because the interface only grows and clients ignore
/// unknown parts.
@Suite(.timeLimit(.minutes(5)))
struct CompatibilityTests {
    /// Returns an interface's promises: a line for each method, signal and property, with the types
    /// of its arguments. The names of arguments are left out, because they are not sent.
    static func promises(of introspection: String) -> Set<String> {
        var promises: Set<String> = []
        var (interface, member) = ("", "")
        func value(_ name: String, _ line: Substring) -> String {
            guard let range = line.range(of: " \(name)=\"") else { return "" }
            return String(line[range.upperBound...].prefix { $0 != "\"" })
        }
        func close() {
            if !member.isEmpty { promises.insert("\(interface) \(member)") }
            member = ""
        }
        for line in introspection.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
            if line.hasPrefix("<interface") {
                interface = value("name", line)
            } else if line.hasPrefix("<method") || line.hasPrefix("<signal") {
                member = "\(line.dropFirst().prefix { $0 != " " }) \(value("name", line))"
                if line.hasSuffix("/>") { close() }
            } else if line.hasPrefix("<arg") {
                member += " \(value("direction", line)):\(value("type", line))"
            } else if line.hasPrefix("<property") {
                promises.insert(
                    "\(interface) property \(value("name", line)) \(value("type", line)) \(value("access", line))")
            } else if line.hasPrefix("</method") || line.hasPrefix("</signal") {
                close()
            }
        }
        return promises
    }

    @Test("All promises of version 1 are kept")
    func theInterfaceOnlyGrows() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Vectors/bus/version-1.xml").standardizedFileURL
        let promised = Self.promises(of: try String(contentsOf: file, encoding: .utf8))
        #expect(promised.count > 50)
        #expect(promised.contains("org.batonproject.Baton1.Offers signal Disappeared :s"))
        #expect(promised.contains("org.batonproject.Baton1.Offers method Continue in:s in:a{sv} out:s out:a{sv}"))
        #expect(promised.contains("org.batonproject.Baton1.Panel property State s read"))
        try await Ends.with { ends in
            let served = try await ends.raw("org.freedesktop.DBus.Introspectable", "Introspect", [])
            #expect(promised.subtracting(Self.promises(of: served.first?.stringValue ?? "")) == [])
        }
    }

    @Test("The check notices a removed method, and a method with other arguments")
    func changesAreSeen() {
        let before = """
            <interface name="a.B">
              <method name="C">
                <arg name="x" type="s" direction="in"/>
              </method>
              <method name="D"/>
            </interface>
            """
        let promises = Self.promises(of: before)
        #expect(promises == ["a.B method C in:s", "a.B method D"])
        for change in [("type=\"s\"", "type=\"u\""), ("name=\"D\"", "name=\"E\""), ("\"in\"", "\"out\"")] {
            #expect(!promises.isSubset(of: Self.promises(of: before.replacing(change.0, with: change.1))))
        }
        #expect(promises.isSubset(of: Self.promises(of: before.replacing("\"x\"", with: "\"y\""))))
    }

    @Test("Clients ignore a newer daemon's additions")
    func unknownKeysSignalsAndErrorsArePassedOver() async throws {
        try await PrivateBus.with { bus in
            let daemon = try await DBusConnection.open(address: bus.address)
            try daemon.export(Self.laterDaemon, at: BatonBusName.path)
            _ = try await daemon.requestName(BatonBusName.bus)
            let client = try await BatonBusClient.connect(address: bus.address)
            var events = try await client.offerEvents().makeAsyncIterator()
            let offer = OfferSummary(offer: "o1", device: "d1", deviceName: "desk")
            #expect(try await client.offers() == [offer])
            #expect(try await client.status().version == "2.0")
            let error = await #expect(throws: BatonError.self) { try await client.becomeCurrent(activity: "a") }
            #expect(error?.code.rawValue == "OfALaterVersion" && error?.message == "what to do")
            for (member, arguments) in [
                ("Improved", [DBusValue.string("o1")]), ("Appeared", [Self.offer]), ("Disappeared", [.string("o1")]),
            ] {
                try daemon.emit(
                    path: BatonBusName.path, interface: BatonBusName.offers, member: member, arguments: arguments)
            }
            #expect(await events.next() == .appeared(offer))
            #expect(await events.next() == .disappeared(offer: "o1"))
            client.close()
            daemon.close()
        }
    }

    private static let offer = DBusValue.properties([
        "offer": .string("o1"), "device": .string("d1"), "deviceName": .string("desk"),
        "later": .structure([.uint32(1), .strings(["x"])]),
    ])

    private static var laterDaemon: DBusObject {
        let status = DBusValue.properties([
            "version": .string("2.0"), "radio": .string("neutrinos"), "device": .string("d"),
            "deviceName": .string("me"), "later": .properties(["more": .bool(true)]),
        ])
        return DBusObject(interfaces: [
            DBusInterface(
                BatonBusName.daemon,
                methods: [DBusMethod("Status", outputs: [DBusArgument("status", "a{sv}")]) { _ in [status] }]),
            DBusInterface(
                BatonBusName.offers,
                methods: [
                    DBusMethod("List", outputs: [DBusArgument("offers", "aa{sv}")]) { _ in
                        [.array(elementSignature: "a{sv}", [offer])]
                    }
                ]),
            DBusInterface(
                BatonBusName.activities,
                methods: [
                    DBusMethod("BecomeCurrent", inputs: [DBusArgument("activity", "s")]) { _ in
                        throw DBusError(
                            name: "org.batonproject.Baton1.Error.OfALaterVersion", message: "what to do")
                    }
                ]),
        ])
    }
}
