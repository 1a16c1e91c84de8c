// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import DBus
import Foundation
import Glibc
import Testing
import UserActivity

/// Tests the daemon as a process, on buses of its own.
@Suite(.timeLimit(.minutes(5))) struct BatondTests {
    /// Exports the part of bluetoothd that the choice of a radio uses. The lab tests the real
    /// bluetoothd.
    private func exportAdapter(_ name: String, on bus: DBusConnection) async throws {
        let adapter = DBusValue.dictionary(
            keySignature: "s", valueSignature: "a{sv}",
            [
                .init(.string("org.bluez.Adapter1"), .dictionary(keySignature: "s", valueSignature: "v", []))
            ])
        let objects = DBusValue.dictionary(
            keySignature: "o", valueSignature: "a{sa{sv}}", [.init(.objectPath("/org/bluez/\(name)"), adapter)])
        let manager = DBusInterface(
            "org.freedesktop.DBus.ObjectManager",
            methods: [
                DBusMethod("GetManagedObjects", outputs: [DBusArgument("objects", "a{oa{sa{sv}}}")]) { _ in [objects] }
            ])
        try bus.export(DBusObject(interfaces: [manager]), at: "/")
        _ = try await bus.requestName("org.bluez")
    }

    @Test("With the radio auto, batond picks BlueZ once there is an adapter, and reports that")
    func autoTakesBlueZ() async throws {
        try await PrivateBus.with { session in
            try await PrivateBus.with { system in
                let state = FileManager.default.temporaryDirectory.appending(path: "batond-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: state) }
                // Without XDG_RUNTIME_DIR the simulated radio uses /tmp.
                let daemon = try await Program(
                    "batond", ["--state-directory", state.path], bus: session.address,
                    environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
                try await daemon.line("a simulated radio") {
                    $0.hasSuffix(
                        "radio: simulated in /tmp/baton-radio-\(geteuid()), because bluetoothd does not run")
                }
                try await daemon.line("its service") { $0.contains("serving org.batonproject.Baton") }
                let warnings = try await Program("baton", ["status"], bus: session.address)
                try await warnings.line("a warning") { $0.contains("The radio is simulated") }
                await warnings.end()

                let bluetoothd = try await DBusConnection.open(address: system.address)
                try await exportAdapter("hci9", on: bluetoothd)
                try await daemon.line("that it begins anew") { $0.contains("there is an adapter now (hci9)") }
                try await daemon.line("BlueZ") { $0.hasSuffix("radio: BlueZ, because there is an adapter (hci9)") }
                try await daemon.line("its service, again") { $0.contains("serving org.batonproject.Baton") }
                #expect(try await daemon.terminate() == 0)
                bluetoothd.close()
            }
        }
    }

    @Test("$HOME determines where keys, rules and apps are, whatever /etc/passwd says")
    func homeOfTheEnvironment() async throws {
        try await withDirectory { root in
            try await PrivateBus.with { bus in
                let configuration = root.appending(path: ".config/baton")
                try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
                try "rule = never type=org.example.mail\n".write(
                    to: configuration.appending(path: "baton.conf"), atomically: true, encoding: .utf8)
                let daemon = try await Program(
                    "batond", ["--radio", "simulated", "--radio-directory", root.appending(path: "radio").path],
                    bus: bus.address, environment: ["HOME": root.path])
                try await daemon.line("its service") { $0.contains("serving org.batonproject.Baton") }
                let state = root.appending(path: ".local/state/baton")
                #expect(try FileManager.default.contentsOfDirectory(atPath: state.path).contains("state"))
                let rules = try await Program("baton", ["rules"], bus: bus.address)
                try await rules.line("the rule") { $0.contains("org.example.mail") }
                await rules.end()
                #expect(try await daemon.terminate() == 0)
            }
        }
    }

    @Test(
        "A user's directory whose name is not UTF-8 is refused, and nothing is written elsewhere",
        arguments: ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"])
    func directoryThatIsNotUTF8(variable: String) async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.start(
                in: root, limits: "export \(variable)=$HOME/$(printf 'caf\\351')")
            #expect(await !daemon.isServing())
            let end = await daemon.gone()
            #expect(end.status == 1 && end.log.hasPrefix("batond: \(variable) is not UTF-8; set it to "), "\(end.log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).isEmpty)
        }
    }

    @Test("A relative path is refused if the name of the current directory is not UTF-8")
    func currentDirectoryThatIsNotUTF8() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.start(
                in: root, limits: "here=$(printf 'caf\\351'); mkdir $here; cd $here",
                options: ["--state-directory", "s"])
            #expect(await !daemon.isServing())
            let end = await daemon.gone()
            #expect(end.log.hasPrefix("batond: the current directory is not UTF-8; give the whole path"), "\(end.log)")
        }
    }

    @Test("A stopping daemon waits at most ten seconds for an app, and only while the app is on the bus")
    func waitsForApps() async throws {
        try await RunningDaemon.withCircle(install: { _ in }) { desk, sofa in
            let publisher = try await BatonBusClient.connect(address: desk.bus.address)
            let activity = try await publisher.publish(ActivityState(activityType: "org.example.note"))
            try await publisher.becomeCurrent(activity: activity)
            #expect(try await sofa.baton(["nearby", "--wait", "60"]).status == 0)
            let app = try await BatonBusClient.connect(address: sofa.bus.address)
            let offer = try #require(try await app.offers().first)
            _ = try await app.continueOffer(offer.offer)
            kill(sofa.processID, SIGTERM)
            #expect(await sofa.logs("waiting 10.0 seconds at most for 0 pairs of streams and 1 apps"))
            app.close()
            #expect(await sofa.gone().status == 0)
            publisher.close()
        }
    }

    @Test(
        "Wrong options of batond are refused in one line",
        arguments: [
            ["--radio", "simulated", "--adapter", "hci0"], ["--radio", "wifi"], ["--tcp", "maybe"], ["--\u{1B}[2J"],
            ["--log-level", "loud"], ["--state-directory", ""], ["--radio-directory", ""], ["--adapter", ""],
            ["--domain-fetcher", "/nonexistent/fetcher"], ["--domain-fetcher", "bin/fetcher"],
        ])
    func wrongOptions(arguments: [String]) async throws {
        let daemon = try await Program("batond", arguments, bus: "unix:path=/nonexistent")
        let line = try await daemon.line("an error") { $0.hasPrefix("batond: ") }
        #expect(line.hasSuffix("; see: batond --help") && !line.contains("\u{1B}"), "\(line)")
        #expect(!line.contains("\\u{a}"), "a list of the parser's shows as one: \(line)")
        #expect(try await daemon.terminate() != 0)
    }

    @Test("A similar option is suggested for an unknown one", arguments: [("--nope", false), ("--tpc", true)])
    func suggestions(option: String, isLike: Bool) async throws {
        let daemon = try await Program("batond", [option], bus: "unix:path=/nonexistent")
        let line = try await daemon.line("an error") { $0.hasPrefix("batond: ") }
        #expect(
            line == "batond: Unknown option '\(option)'\(isLike ? ". Did you mean '--tcp'?" : ""); see: batond --help")
        #expect(try await daemon.terminate() != 0)
    }
}
