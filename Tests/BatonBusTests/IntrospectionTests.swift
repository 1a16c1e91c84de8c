// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct IntrospectionTests {
    /// An app that accepts no activity.
    private struct IdleApp: ApplicationBusHandler {
        func willContinue(_ coming: ComingActivity) async throws -> Bool { false }
        func continueActivity(_ activity: ContinuedActivity) async throws -> Bool { false }
        func didFail(type: String, error: BatonError) async throws {}
    }

    private static func documented(_ page: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Documentation/DBus/\(page).xml").standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the lines of one interface.
    private static func lines(of interface: String, in text: String) -> [Substring] {
        let lines = text.split(separator: "\n").drop { !$0.contains("<interface name=\"\(interface)\"") }
        return Array(lines.prefix { !$0.contains("</interface>") })
    }

    @Test("The daemon serves the documented interface")
    func theDocumentedInterfaceIsServed() async throws {
        let documented = try Self.documented("org.batonproject.Baton1")
        try await Ends.with { ends in
            let served = try await ends.raw("org.freedesktop.DBus.Introspectable", "Introspect", [])
            #expect(served.first?.stringValue == documented)
            let version = try await ends.raw(
                "org.freedesktop.DBus.Properties", "Get", [.string(BatonBusName.daemon), .string("Version")])
            #expect(version.first?.stringValue == "1.2.3")
        }
    }
    @Test("An app serves the documented interface")
    func theDocumentedInterfaceOfAppsIsServed() async throws {
        let documented = Self.lines(of: BatonBusName.application, in: try Self.documented(BatonBusName.application))
        try await PrivateBus.with { bus in
            let client = try await BatonBusClient.connect(address: bus.address)
            let app = try await ApplicationBusService.start(
                on: client, identifier: "org.example.App", handler: IdleApp())
            let reader = try await DBusConnection.open(address: bus.address)
            let reply = try await reader.call(
                destination: "org.example.App", path: "/org/example/App",
                interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
            #expect(documented.count > 10)
            #expect(Self.lines(of: BatonBusName.application, in: reply.first?.stringValue ?? "") == documented)
            await app.stop()
            reader.close()
            client.close()
        }
    }
}
