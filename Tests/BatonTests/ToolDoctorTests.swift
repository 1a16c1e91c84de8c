// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Diagnosis
import Foundation
import Testing

/// Tests `baton doctor` with a daemon whose status the test sets.
@Suite(.timeLimit(.minutes(5))) struct ToolDoctorTests {
    /// Runs `baton doctor` with scripts in place of `systemctl` and `firewall-cmd`.
    private func doctor(
        on bus: PrivateBus, _ arguments: String = "", systemctl: String = "exit 1", firewall: String = "exit 252"
    ) async throws -> Tool.Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, script) in ["systemctl": systemctl, "firewall-cmd": firewall] {
            try await writeScript(script, to: directory.appending(path: name))
        }
        return try await Tool.run(
            on: bus, script: "PATH='\(directory.path)':$PATH; export PATH; baton doctor \(arguments)")
    }

    @Test("If there is no finding, the output is one line and the status is 0")
    func healthy() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.be(ofVersion: BatonVersion.current)
            let result = try await doctor(on: bus)
            #expect(
                result.output
                    == "nothing is wrong: daemon, unit, radio, network, circle, clock, desktop, browser, devices\n",
                "\(result)")
            #expect(result.status == 0 && result.error.isEmpty, "\(result)")
        }
    }

    @Test("Each finding is one line, with status 2, and a check can be run by its name")
    func findings() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.be(ofVersion: BatonVersion.current)
            await daemon.warn(of: [
                Finding(.adapterOff, command: "power on"), Finding(.clockWrong, ["clock": .time(0)]),
                Finding(Reason(code: "of-a-newer-daemon"), command: nil, reported: "news"),
            ])
            let unit = "echo LoadState=loaded; echo UnitFileState=disabled; echo NRestarts=1"
            let all = try await doctor(on: bus, systemctl: unit)
            #expect(all.status == 2 && all.error.isEmpty, "\(all)")
            #expect(
                all.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                    "of-a-newer-daemon", "daemon-not-enabled", "daemon-restarted", "adapter-off", "clock-wrong",
                ], "\(all)")
            let radio = try await doctor(on: bus, "radio")
            #expect(radio.output == "adapter-off: Bluetooth is off. Run \"power on\".\n" && radio.status == 2)
            #expect(try await doctor(on: bus, "circle").status == 0)
            let json = try await doctor(on: bus, "radio --json")
            #expect(json.status == 2 && json.output.contains(#""command" : "power on""#), "\(json)")
        }
    }

    @Test("A firewall that blocks the port is reported only if a device did not reach this one")
    func firewall() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.be(ofVersion: BatonVersion.current)
            await daemon.listen(at: ["tcp:192.0.2.1:40000"])
            let closed = "printf 'public (active)\\n  target: default\\n  interfaces: wlan0\\n  ports: \\n'"
            #expect(try await doctor(on: bus, "network", firewall: closed).status == 0)
            await daemon.warn(of: [Finding(.tcpUnreached, ["laptop": "sofa"])])
            let found = try await doctor(on: bus, "network", firewall: closed)
            #expect(
                found.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                    "tcp-unreached", "firewall-on",
                ],
                "\(found)")
            #expect(found.output.contains("--zone=public --add-port="), "\(found)")
            let open = closed.replacingOccurrences(of: "ports: ", with: "ports: 1025-65535/tcp")
            for firewall in [open, "exit 252", "echo 'Authorization failed'; exit 1"] {
                let result = try await doctor(on: bus, "network", firewall: firewall)
                #expect(
                    result.output.hasPrefix("tcp-unreached: Streams from \"sofa\" are slow")
                        && result.output.count { $0 == "\n" } == 1 && result.status == 2, "\(result)")
            }
        }
    }

    @Test("A list of rules warns of a mistake in the rules' file")
    func rulesOfAFileWithAMistake() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.warn(of: [Finding(.settingsMistake, ["mistake": "line 3 is none"])])
            let listed = try await Tool.run(on: bus, ["rules"])
            #expect(listed.output == "1  ask\n2  near signal=-50\n")
            #expect(
                listed.error == "baton: warning: baton.conf has a mistake (line 3 is none). Correct baton.conf.\n"
                    && listed.status == 0, "\(listed)")
        }
    }

    @Test("A list of rules shows which rules wait for a signal strength")
    func waitingRules() async throws {
        try await FakeDaemon.with { daemon, bus in
            let quiet = try await Tool.run(on: bus, ["rules"])
            #expect(quiet.output == "1  ask\n2  near signal=-50\n")
            await daemon.warn(of: [Finding(.signalUnknown, ["laptop": "sofa"]), Finding(.adapterOff)])
            let waiting = try await Tool.run(on: bus, ["rules"])
            #expect(waiting.output.hasPrefix(quiet.output + "A rule waits until \"sofa\" is near"))
        }
    }

    @Test(
        "If no daemon runs, that is the only finding, an unknown check is an error, and the list of checks still works")
    func withoutDaemon() async throws {
        try await PrivateBus.with { bus in
            let none = try await doctor(on: bus)
            #expect(none.status == 2 && none.output.hasPrefix("daemon-stopped: "), "\(none)")
            let radio = try await doctor(on: bus, "radio --json")
            #expect(radio.status == 2 && radio.output.contains("check-failed"), "\(radio)")
            let made = try await doctor(on: bus, "--json")
            #expect(made.output.contains("\"unit\"") && !made.output.contains("\"radio\""), "\(made)")
            #expect(none.output.split(separator: "\n").count == 1, "\(none)")
            let wrong = try await doctor(on: bus, "nosuch")
            #expect(
                wrong.status == 64 && wrong.failedInOneLine && wrong.error.contains("desktop, browser, devices"),
                "\(wrong)")
            let list = try await doctor(on: bus, "--list radio")
            #expect(list.status == 0 && list.output.contains("  adapter-off: Bluetooth is off\n"), "\(list)")
        }
    }

    @Test("A daemon that hangs is reported, and the checks that need no daemon still run")
    func hungDaemon() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.hang()
            let unit = "echo LoadState=loaded; echo UnitFileState=disabled; echo NRestarts=0"
            let result = try await doctor(on: bus, systemctl: unit)
            #expect(result.status == 2 && result.error.isEmpty, "\(result)")
            #expect(
                result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                    "daemon-silent", "daemon-not-enabled",
                ], "\(result)")
        }
    }

    @Test("A device that answers but does not hear this one is found")
    func oneWay() async throws {
        try await FakeDaemon.with { daemon, bus in
            #expect(try await doctor(on: bus, "devices").status == 0)
            await daemon.becomeUnheard()
            let result = try await doctor(on: bus, "devices")
            #expect(
                result.output.hasPrefix("radio-one-way: \"sofa\" does not hear this laptop by radio"), "\(result)")
            #expect(result.output.split(separator: "\n").count == 1 && result.status == 2, "\(result)")
        }
    }

    @Test("A near device that does not answer is reported, and doctor does not wait for a hanging systemctl")
    func silence() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.be(ofVersion: BatonVersion.current)
            await daemon.losePings()
            let result = try await doctor(on: bus, systemctl: "exec sleep 86400")
            #expect(result.status == 2, "\(result)")
            #expect(
                result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                    "check-hung", "device-silent",
                ],
                "\(result)")
        }
    }
}
