// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Testing

/// Tests a panel with two real daemons (Documentation/DBus/Panel.md).
@Suite(.timeLimit(.minutes(2))) struct PanelTests {
    private static let panel = "org.batonproject.Baton1.Panel"

    /// A panel on a daemon's bus. It reads all properties once, and then follows only their
    /// signals.
    private struct Panel {
        let bus: DBusConnection
        private var signals: AsyncStream<DBusSignal>.Iterator
        private(set) var values: [String: DBusValue]
        private var hasHeard = false

        init(on daemon: RunningDaemon) async throws {
            bus = try await DBusConnection.open(address: daemon.bus.address)
            let (name, path) = ("org.batonproject.Baton", "/org/batonproject/Baton")
            let properties = "org.freedesktop.DBus.Properties"
            signals = try await bus.signals(
                matching: DBusMatch(
                    sender: name, path: path, interface: properties, member: "PropertiesChanged",
                    arguments: [0: PanelTests.panel])
            ).makeAsyncIterator()
            let all = try await bus.call(
                destination: name, path: path, interface: properties, member: "GetAll",
                arguments: [.string(PanelTests.panel)])
            values = try #require(all.first?.propertiesValue)
        }

        /// Waits until the daemon is in a state, and returns the reason.
        @discardableResult
        mutating func state(_ wanted: String) async throws -> String {
            try await change { $0["State"]?.stringValue == wanted }
            return values["Reason"]?.stringValue ?? ""
        }

        /// Waits until the best offer fulfils a condition.
        mutating func bestOffer(_ isWanted: ([String: DBusValue]) -> Bool) async throws {
            try await change { isWanted($0["BestOffer"]?.propertiesValue ?? [:]) }
        }

        private mutating func change(_ isWanted: ([String: DBusValue]) -> Bool) async throws {
            while !isWanted(values) {
                let signal = try #require(await signals.next())
                let changed = try #require(signal.arguments[1].propertiesValue)
                #expect(!changed.isEmpty)
                for (name, value) in changed where hasHeard { #expect(values[name] != value, "\(name) did not change") }
                // The first signals may repeat changes that the panel has already read. Check only
                // after a signal with a new value.
                hasHeard = hasHeard || changed.contains { values[$0.key] != $0.value }
                values.merge(changed) { $1 }
            }
        }
    }

    @Test("A panel follows the circle, a pause, and another device's offers")
    func panelFollows() async throws {
        try await RunningDaemon.withTwo { desk, sofa in
            var panel = try await Panel(on: sofa)
            #expect(try await panel.state("no-circle").contains("not paired with another one"))

            try await desk.makeCircle(with: sofa)
            #expect(try await panel.state("running").isEmpty)

            async let published = desk.baton([
                "publish", "--type", "org.example.page", "--webpage", "https://example.org/", "--once",
            ])
            try await panel.bestOffer {
                $0["deviceName"] == .string("desk") && $0["webpage"] == .bool(true) && $0["signal"] == nil
            }
            #expect(try await sofa.baton(["pause", "1h"]).status == 0)
            #expect(try await panel.state("paused") == "Baton is paused.")
            #expect(panel.values["PausedUntil"]?.integer(as: Int64.self) ?? 0 > Int64(Date().timeIntervalSince1970))
            #expect(panel.values["BestOffer"] == .properties([:]))
            let paused = try await sofa.baton(["status"]).text
            #expect(paused.contains("paused   until ") && paused.contains("'baton resume' ends that"), "\(paused)")
            let status =
                try JSONSerialization.jsonObject(
                    with: Data(await sofa.baton(["status", "--json"]).text.utf8)) as? [String: Any]
            #expect(status?["paused"] as? Bool == true)
            let until = try Date(#require(status?["pausedUntil"] as? String), strategy: .iso8601)
            #expect(Int64(until.timeIntervalSince1970) == panel.values["PausedUntil"]?.integer(as: Int64.self))
            #expect(try await sofa.baton(["resume"]).status == 0)
            #expect(try await !sofa.baton(["status"]).text.contains("paused"))
            try await panel.bestOffer { !$0.isEmpty }
            #expect(try await sofa.baton(["continue", "--type", "org.example.page", "--wait", "60"]).status == 0)
            #expect(try await published.status == 0)
            try await panel.bestOffer { $0.isEmpty }
            panel.bus.close()
        }
    }

    @Test("A panel learns that the keys cannot be used")
    func unusableKeys() async throws {
        try await withDirectory { root in
            let state = RunningDaemon.state(in: root)
            try FileManager.default.createDirectory(
                at: state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            let daemon = try await RunningDaemon.serving(in: root)
            var panel = try await Panel(on: daemon)
            #expect(try await !panel.state("unusable").isEmpty)
            panel.bus.close()
            // The status does not advise pairing again, because the keys may belong to a circle.
            let status = try await daemon.baton(["status"])
            #expect(status.status == 0 && status.text.contains("circle   not known"), "\(status.text)")
            #expect(try await daemon.baton(["status", "--json"]).text.contains(#""device" : null"#))
            for command in ["devices", "nearby", "pair", "leave", "rules", "grants", "domains", "adapters"] {
                let refused = try await daemon.baton([command])
                #expect(refused.status == 1 && refused.text.contains("chmod 700"), "\(command): \(refused.text)")
            }
            _ = await daemon.end()
        }
    }
}
