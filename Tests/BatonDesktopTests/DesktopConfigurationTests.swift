// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests how the daemon follows changes of the settings file.
extension DesktopTests {
    @Test("Names in the configuration become ids when the circle is known")
    func namesIntoIDs() async throws {
        // The file exists before the daemon starts. A change makes the daemon read it again.
        try await withDesktop("rule = near device=desk", devices: []) { desktop, _, _, host in
            await desktop.serviceChanged(to: .noCircle, because: Finding(.noCircle))
            let unknown = Reason(.laptopUnknown, ["laptop": "desk"])
            #expect(
                await desktop.findings.first
                    == Finding(.settingsMistake, ["idle": .count(1), "reason": .reason(unknown)]))
            #expect(await desktop.settings.action(for: offer()) == .ask)
            host.devices = [CircleMember(device: "0a1b2c3d", name: "desk")]
            await desktop.serviceChanged(to: .running, because: nil)
            try await host.until("the rule") { try await desktop.rules == ["near device=0a1b2c3d signal=-60"] }
            #expect(await desktop.warnings.isEmpty)
            #expect(await desktop.settings.action(for: offer()) == .near(signal: -60))
        }
    }

    @Test("How local networks are used depends on the configuration and on whether the screen is locked")
    func localNetworks() async throws {
        try await withDesktop("lan = off\ntitles = ask") { desktop, _, _, host in
            try await host.localNetworks.wait("the settings") { $0 == ["off", "ask", "unlocked"] ? true : nil }
            await desktop.sessionChanged(SessionState(isLocked: true))
            try await host.localNetworks.wait("the lock") { $0 == ["off", "ask", "locked"] ? true : nil }
        }
    }

    @Test("Before the desktop runs, the daemon learns what is hidden and whether it may use local networks")
    func settingsBeforeTheRun() async throws {
        try await withDesktop { _, world, _, _ in
            let file = world.root.appending(path: "other.conf")
            try Data("lan = off\nrule = hide type=org.example.note\n".utf8).write(to: file)
            let host = FakeHost(journal: world.journal)
            let desktop = Desktop(
                bus: world.connection, systemBus: nil, host: host, settingsFile: SettingsFile(file),
                catalogue: AppCatalogue(directories: [], languages: [], mimePlaces: MimePlaces(configuration: [])),
                pages: WebPageOpener(
                    bus: world.connection, program: "/nonexistent/xdg-open", isSandboxed: false, patience: .seconds(60)),
                grants: GrantStore(), asker: DomainAsker(nil), pauseMemory: PauseMemory(), logger: host.logger)
            await desktop.applySettings()
            #expect(!host.advertises("org.example.note"))
            #expect(host.advertises("org.example.letter"))
            #expect(host.localNetworks.value.first == "off")
        }
    }

    @Test("The daemon learns whether a rule waits for a laptop to be near", arguments: [true, false])
    func needsSignals(isNear: Bool) async throws {
        let rules = isNear ? "rule = hide type=org.example.secret\nrule = near type=org.example.note" : "rule = never"
        try await withDesktop(rules) { _, _, _, host in
            try await host.needsSignals.wait("the rules") { known -> Void? in known == isNear ? () : nil }
        }
    }

    @Test("Names become ids despite a mistake in the file: at the start, later, and when the circle becomes known")
    func namesIntoIDsBesideAMistake() async throws {
        let (text, named) = ("rule = near device=desk\nfoo = 1\n", "rule = near device=0a1b2c3d\nfoo = 1\n")
        try await withDesktop(text, devices: []) { desktop, world, _, host in
            let file = world.root.appending(path: "baton.conf")
            try await host.until("a warning") { await desktop.warnings.count == 2 }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            host.devices = [CircleMember(device: "0a1b2c3d", name: "desk")]
            await desktop.serviceChanged(to: .noCircle, because: Finding(.noCircle))
            await desktop.serviceChanged(to: .running, because: nil)
            try await host.until("the id") { try String(contentsOf: file, encoding: .utf8) == named }
            #expect(try await desktop.rules == ["near device=0a1b2c3d signal=-60"])
            try Data("rule = ask\n".utf8).write(to: file, options: .atomic)
            try await host.until("the rule") { try await desktop.rules == ["ask"] }
            try Data(text.utf8).write(to: file, options: .atomic)
            try await host.until("the id") { try String(contentsOf: file, encoding: .utf8) == named }
            #expect(try await desktop.rules == ["ask"])
        }
    }

    @Test("A mistake in the configuration is reported, and the previous settings stay in force")
    func mistakeIsTold() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, _, host in
            let file = world.root.appending(path: "baton.conf")
            // Write the file atomically, because otherwise the daemon might read an empty file,
            // which has no rules.
            try Data("rule = nonsense\n".utf8).write(to: file, options: .atomic)
            try await host.until("a warning") { await !desktop.warnings.isEmpty }
            let mistake = Settings.mistake(1, .ruleAction, ["choices": .list(["ask", "never", "near", "hide"])])
            #expect(await desktop.findings.first == Finding(.settingsMistake, ["former": .reason(mistake)]))
            #expect(try await desktop.rules == ["never device=0a1b2c3d"])
            try Data("rule = ask\n".utf8).write(to: file)
            try await host.until("the rule") { try await desktop.rules == ["ask"] }
            #expect(await desktop.warnings.isEmpty)
        }
    }

    @Test("After the configuration names another app, the offers are announced with that app")
    func newlyNamedApp() async throws {
        try await withDesktop { desktop, world, _, _ in
            let other = world.root.appending(path: "applications/org.example.Other.desktop")
            let types = "\(HandoverWorld.type);org.example.other;"
            try Data("[Desktop Entry]\nType=Application\nName=Other\nExec=true\nX-Baton-ActivityTypes=\(types)\n".utf8)
                .write(to: other)
            await world.journal.wait(for: "declared org.example.other")
            let first = try #require(await desktop.offered(offer()).application)
            let second = first == "org.example.Other" ? HandoverWorld.identifier : "org.example.Other"
            try Data("default-app.\(HandoverWorld.type) = \(second)\n".utf8)
                .write(to: world.root.appending(path: "baton.conf"))
            await world.journal.wait(for: "changed \(second)")
            #expect(await desktop.offers["offer-1"]?.application == second)
        }
    }

    @Test("A default app that is not installed, or does not continue the type, causes a warning")
    func uselessDefaultApp() async throws {
        let configuration = """
            default-app.\(HandoverWorld.type) = \(HandoverWorld.identifier)
            default-app.org.example.a = \(HandoverWorld.identifier)
            default-app.org.example.b = org.example.Gone
            """
        try await withDesktop(configuration) { desktop, _, _, _ in
            #expect(
                await desktop.findings
                    == [
                        Finding(.settingsMistake, ["unfitApp": "org.example.Notes", "type": "org.example.a"]),
                        Finding(.settingsMistake, ["missingApp": "org.example.Gone", "type": "org.example.b"]),
                    ])
        }
    }

    @Test("A configuration that is a link is read again when its target changes")
    func linkedConfiguration() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, _, host in
            let (file, directory) = (
                world.root.appending(path: "baton.conf"), world.root.appending(path: "dotfiles/baton")
            )
            let target = directory.appending(path: "baton.conf")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("rule = ask\n".utf8).write(to: target)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                atPath: file.path, withDestinationPath: "dotfiles/baton/baton.conf")
            try await host.until("the rule") { try await desktop.rules == ["ask"] }
            try Data("rule = never\n".utf8).write(to: target)
            try await host.until("the rule") { try await desktop.rules == ["never"] }
        }
    }
}
