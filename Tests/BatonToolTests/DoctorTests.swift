// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis
import Testing
import UserInfoJSON

@testable import baton

/// Tests the checks and the output of `baton doctor`.
@Suite struct DoctorTests {
    private struct Broken: Error {}

    private func patient(_ findings: [Finding] = [], circle: String? = "cc") -> Patient {
        var status = DaemonStatus(
            version: BatonVersion.current, radio: "bluez", device: "aa", deviceName: "desk", circle: circle,
            findings: findings)
        (status.tcp, status.endpoints) = (true, ["tcp:192.0.2.1:7"])
        return Patient(bus: nil, status: .success(status))
    }

    private func check(_ name: String) throws -> Check { try #require(Check.all.first { $0.name == name }) }

    @Test("Each finding's code belongs to exactly one check, except the codes for failed checks")
    func everyCodeHasItsCheck() {
        for code in FindingCode.allCases {
            let count = Check.all.count { $0.codes.contains(code) }
            #expect(count == ([.checkFailed, .checkHung].contains(code) ? 0 : 1), "\(code)")
            #expect(!code.meaning.isEmpty)
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
        }
        #expect(Set(Check.all.map(\.name)).count == Check.all.count)
    }

    @Test("Each of the daemon's findings appears once, and unknown ones appear in the first check")
    func reportsComeOnce() async {
        let elsewhere: Set<FindingCode> = [.checkFailed, .checkHung, .noAddress, .firewallOn, .extensionWaiting]
        let reported =
            FindingCode.allCases.filter { !elsewhere.contains($0) }
            .map { Finding($0) } + [Finding(Reason(code: "of-a-newer-daemon"), command: nil, reported: "t")]
        // The tool makes these findings itself, so the daemon does not report them.
        let own: Set<FindingCode> = [
            .noSessionBus, .daemonStopped, .daemonSilent, .daemonRestarted, .daemonNotEnabled, .versionDiffers, .alone,
            .deviceSilent, .radioOneWay, .transportOneWay, .unreachable, .paused,
        ]
        var found: [Finding] = []
        for check in Check.all where check.name != "unit" {
            found += await check.findings(in: patient(reported, circle: nil))
        }
        let expected = reported.filter { finding in !own.contains { $0.rawValue == finding.code } }
        #expect(Set(found) == Set(expected) && found.count == expected.count)
    }

    @Test("A check that throws or hangs becomes a finding")
    func brokenChecks() async {
        let throwing = Check(name: "x", subject: "", codes: []) { _ in throw Broken() }
        #expect(await throwing.findings(in: patient()).map(\.code) == ["check-failed"])
        let hanging = Check(name: "x", subject: "", codes: [], limit: .milliseconds(1)) { _ in
            try await Task.sleep(for: .seconds(86_400))
            return []
        }
        #expect(await hanging.findings(in: patient()).map(\.code) == ["check-hung"])
    }

    @Test("A check that ignores cancellation is not waited for")
    func stubbornCheck() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let stubborn = Check(name: "x", subject: "", codes: [], limit: .milliseconds(1)) { _ in
            // Wait in a separate task, which the cancellation does not reach.
            await Task { for await _ in ends {} }.value
            return []
        }
        #expect(await stubborn.findings(in: patient()).map(\.code) == ["check-hung"])
        end.finish()
    }

    @Test("The reason why the daemon is absent decides the code and the advice")
    func absence() async throws {
        for (code, finding) in [
            (BatonError.Code.busUnavailable, "no-session-bus"), (.daemonNotRunning, "daemon-stopped"),
            (.failed, "daemon-silent"),
        ] {
            let away = Patient(bus: nil, status: .failure(BatonError(code, appMessage: "why")))
            let findings = try await check("daemon").findings(in: away)
            #expect(findings.map(\.code) == [finding])
            #expect(findings.first?.reason.values == ["reason": .reason(Reason(quoting: "why"))])
            for name in ["radio", "network", "circle", "clock", "desktop", "devices"] {
                // If the user named a check, its output must not claim that nothing is wrong.
                #expect(try await check(name).findings(in: away).map(\.code) == ["check-failed"])
            }
        }
    }

    @Test("Doctor finds another version, a circle of one device, a pause, and a missing network")
    func ownFindings() async throws {
        var status = try patient().status.get()
        (status.version, status.tcp, status.isPaused) = ("0.0.1", true, true)
        status.endpoints = ["l2cap:00:11:22:33:44:55:128"]
        status.members = [CircleMember(device: "aa", name: "desk", isThisDevice: true)]
        let odd = Patient(bus: nil, status: .success(status))
        for (name, code) in [
            ("daemon", "version-differs"), ("network", "no-address"), ("circle", "alone"), ("desktop", "paused"),
        ] {
            #expect(try await check(name).findings(in: odd).map(\.code) == [code])
        }
        status.endpoints.append("tcp:192.0.2.1:7")
        let reachable = Patient(bus: nil, status: .success(status))
        #expect(try await check("network").findings(in: reachable).isEmpty)
    }

    @Test(
        "systemd's description of the unit is read",
        arguments: [
            ("LoadState=loaded\nUnitFileState=enabled\nNRestarts=0\n", []),
            ("LoadState=loaded\nUnitFileState=disabled\nNRestarts=0\n", ["daemon-not-enabled"]),
            ("NRestarts=3\nUnitFileState=disabled\nLoadState=loaded\n", ["daemon-not-enabled", "daemon-restarted"]),
            ("LoadState=not-found\nUnitFileState=\nNRestarts=0\n", []),
            ("LoadState=masked\nUnitFileState=masked\n", []), ("", []), ("=\nNRestarts=many\nLoadState", []),
        ])
    func unit(text: String, codes: [String]) {
        #expect(UserUnit(parsing: text).findings.map(\.code) == codes)
    }

    @Test("Each finding is a line, no findings are one line, and JSON names the check")
    func shown() throws {
        let radio = try check("radio")
        #expect(Doctor.lines([(radio, [])]) == ["nothing is wrong: radio"])
        let found = [(check: radio, findings: [Finding(.adapterOff, command: "on")])]
        #expect(Doctor.lines(found) == [#"adapter-off: Bluetooth is off. Run "on"."#])
        #expect(
            Doctor.node(found)
                == .object([
                    "checks": .array([.string("radio")]),
                    "findings": .array([
                        .object([
                            "check": .string("radio"), "code": .string("adapter-off"),
                            "text": .string(#"Bluetooth is off. Run "on"."#),
                            "command": .string("on"),
                        ])
                    ]),
                ]))
    }
}
