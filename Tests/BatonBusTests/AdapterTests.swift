// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AdapterTests {
    @Test("Adapters are listed, allowed, refused, and switched on and off")
    func roundTrip() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.adapters() == FakeHandler.adapters)
            try await ends.client.allowAdapter("a.b")
            try await ends.client.refuseAdapter("a.b")
            try await ends.client.switchAdapter("a.b", on: true)
            try await ends.client.switchAdapter(nil, on: false)
            #expect(
                ends.handler.calls == [
                    "allow adapter a.b", "refuse adapter a.b", "switch a.b true", "switch nil false",
                ]
            )
        }
    }

    @Test("An adapter reports the name of a withheld item and the reason, or that nothing is withheld")
    func withholding() async throws {
        try await Ends.with { ends in
            func withhold(_ name: String, _ reason: String) async throws {
                _ = try await ends.raw(BatonBusName.adapters, "Withhold", [.string(name), .string(reason)])
            }
            try await withhold("re\nport.pdf", "it is\u{202E} temporary")
            try await withhold("", "")
            let (longest, limit) = (String(repeating: "x", count: 1_024), WithheldItem.maximumName)
            #expect(limit == 1_024 && WithheldItem.maximumReason == 1_024)
            try await withhold(longest, longest)
            for (name, reason) in [("a", ""), ("", "b"), (longest + "x", "b"), ("a", longest + "x")] {
                let error = await #expect(throws: DBusError.self) { try await withhold(name, reason) }
                #expect(error?.name == "org.batonproject.Baton1.Error.InvalidArgument")
            }
            #expect(
                ends.handler.calls == [
                    "withhold re port.pdf: it is  temporary", "withhold nothing", "withhold \(longest): \(longest)",
                ])
            // A client that may not manage the device, such as an app in a sandbox.
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            let boxed = try await DBusConnection.open(address: ends.bus.address)
            let error = await #expect(throws: DBusError.self) {
                try await boxed.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.adapters,
                    member: "Withhold", arguments: [.string("a"), .string("b")])
            }
            #expect(error?.name == "org.batonproject.Baton1.Error.NotAllowed")
            boxed.close()
        }
    }

    @Test("Apps are listed, and each change of the list causes a signal")
    func apps() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.apps() == FakeHandler.apps)
            let reader = try await DBusConnection.open(address: ends.bus.address)
            let changes = try await reader.signals(
                matching: DBusMatch(interface: BatonBusName.adapters, member: "AppsChanged"))
            ends.service.publish(apps: InstalledApps(apps: FakeHandler.apps, adapters: []))
            // The same list again causes no signal.
            ends.service.publish(apps: InstalledApps(apps: FakeHandler.apps, adapters: []))
            ends.service.publish(apps: InstalledApps(apps: [], adapters: []))
            var count = 0
            for await change in changes.prefix(2) where change.arguments.isEmpty { count += 1 }
            #expect(count == 2)
            reader.close()
        }
    }

    @Test("The active adapters are a property, and each change causes a signal")
    func active() async throws {
        try await Ends.with { ends in
            let reader = try await DBusConnection.open(address: ends.bus.address)
            let properties = "org.freedesktop.DBus.Properties"
            func active() async throws -> [String]? {
                try await reader.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: properties, member: "GetAll",
                    arguments: [.string(BatonBusName.adapters)]
                ).first?.propertiesValue?["Active"]?.stringsValue
            }
            let changes = try await reader.signals(
                matching: DBusMatch(interface: properties, member: "PropertiesChanged"))
            #expect(try await active() == [])
            ends.service.publish(activeAdapters: ["a.b", "a.c"])
            // The same list again causes no signal.
            ends.service.publish(activeAdapters: ["a.b", "a.c"])
            #expect(try await active() == ["a.b", "a.c"])
            ends.service.publish(activeAdapters: [])
            var told: [[String]?] = []
            for await change in changes.prefix(2) {
                #expect(change.arguments.first?.stringValue == BatonBusName.adapters)
                told.append(change.arguments[1].propertiesValue?["Active"]?.stringsValue)
            }
            #expect(told == [["a.b", "a.c"], []])
            reader.close()
        }
    }
}
