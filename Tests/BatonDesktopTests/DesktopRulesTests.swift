// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests rules and automatic continuations.
extension DesktopTests {
    @Test("A rule continues automatically when the device comes near")
    func nearRuleContinues() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            try await world.runApp()
            await comesNear(desktop, clock)
            await world.journal.wait(for: "accepted true by app")
            // The activity is not continued again while the offer exists, however often the device
            // comes and goes.
            try await host.waitForDone("offer-1")
            _ = await desktop.offered(offer(signal: -90))
            await comesNear(desktop, clock)
            #expect(await desktop.nearRules.isNear("offer-1"))
            #expect(await desktop.openings.count == 0)
            #expect(world.journal.all.count { $0.hasPrefix("will") } == 1)
        }
    }

    @Test("A rule does not continue an activity that this device handed over")
    func ruleAndGivenAway() async throws {
        try await withNearRule { desktop, world, _, host, clock in
            try await world.runApp()
            host.offersWhatItGaveAway = true
            await comesNear(desktop, clock)
            try await host.until("it is settled") { await !desktop.nearRules.isNear("offer-1") }
            #expect(host.askedNear.value.isEmpty)
            // The user may still continue the activity.
            _ = try await desktop.open("offer-1", options: OpenOptions())
        }
    }

    @Test("An offer to which a never rule applies is not shown")
    func neverRule() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, server, _ in
            #expect(await desktop.offered(offer()).isHidden)
            try await desktop.removeRule(1)
            // Programs learn that both offers are now hidden.
            await world.journal.wait { $0.hasPrefix("changed") && !$0.hasSuffix("hidden") }
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
            try await desktop.addRule("never type=org.example.*")
            #expect(await server.nextClosed() == 1)
            await world.journal.wait { $0.hasPrefix("changed") && $0.hasSuffix("hidden") }
            #expect(try await desktop.rules == ["never type=org.example.*"])
        }
    }

    @Test("A rule hides what an adapter publishes for its apps, also if the adapter is installed later")
    func hideRuleOfAnAdapter() async throws {
        try await withDesktop("rule = hide app=org.example.Adapter") { _, world, _, host in
            #expect(host.advertises("org.example.play"))
            let entry = world.root.appending(path: "applications/org.example.Adapter.desktop")
            let lines = "X-Baton-Adapter=org.example.Player;\nX-Baton-ActivityTypes=org.example.play;"
            try Data("[Desktop Entry]\nType=Application\nName=Music\nExec=true\n\(lines)\n".utf8)
                .write(to: entry, options: .atomic)
            try await host.advertises("org.example.play", becomes: false)
            #expect(host.advertises("org.example.note"))
        }
    }

    @Test("A changed setting applies when the call returns, even if another reader noticed the change first")
    func inForceOnReturn() async throws {
        try await withDesktop { desktop, world, _, host in
            let (news, arrive) = AsyncStream.makeStream(of: Void.self)
            host.holdAdvertising(until: Task { for await _ in news {} })
            let first = Task { try await desktop.addRule("hide type=org.example.note") }
            await world.journal.wait(for: "advertising held")
            let second = Task {
                await desktop.readSettings()
                return host.advertises("org.example.note")
            }
            for _ in 0..<1000 { await Task.yield() }
            arrive.finish()
            #expect(await !second.value)
            try await first.value
        }
    }

    @Test("A rule with a device's name applies to the device that had the name when the rule was written")
    func ruleForAName() async throws {
        try await withDesktop { desktop, _, _, host in
            try await desktop.addRule("never device=desk")
            #expect(try await desktop.rules == ["never device=0a1b2c3d"])
            // A hostile member takes the name desk, and the first device is renamed.
            host.devices = [
                CircleMember(device: "0a1b2c3d", name: "study"), CircleMember(device: "66666666", name: "desk"),
            ]
            var hostile = offer("offer-2")
            hostile.device = "66666666"
            #expect(await desktop.settings.action(for: hostile) == .ask)
            var renamed = offer()
            renamed.deviceName = "study"
            #expect(await desktop.settings.action(for: renamed) == .never)

            host.devices.append(CircleMember(device: "77777777", name: "desk"))
            let error = await #expect(throws: BatonError.self) { try await desktop.addRule("near device=desk") }
            #expect(error?.reason?.values["others"] == .list(["66666666", "77777777"]), "\(error as Any)")
            for rule in ["near device=desk", "sometimes", "never typ=a"] {
                let error = await #expect(throws: BatonError.self) { try await desktop.addRule(rule) }
                #expect(error?.code == .invalidArgument)
                let failure = error?.reason?.failure
                #expect(failure == (rule == "near device=desk" ? .laptopAmbiguous : .ruleMistaken))
            }
            #expect(try await desktop.rules.count == 1)
        }
    }

    @Test("A rule about a device outside the circle is added, with a warning")
    func ruleForUnknownDevice() async throws {
        try await withDesktop { desktop, _, _, host in
            try await desktop.addRule("near device=nobody")
            try await desktop.addRule("never device=88888888", at: 1)
            #expect(try await desktop.rules == ["never device=88888888", "near device=nobody signal=-60"])
            let findings = await desktop.findings.map(\.reason)
            try #require(findings.count == 2)
            #expect(findings[0].values["idle"] == .count(2))
            #expect(findings[0].values["reason"]?.failure == .laptopUnknown)
            #expect(findings[1].values == ["stray": .count(1), "rule": "never device=88888888"])
            // The device joins and leaves the circle while the file stays as it is.
            host.devices.append(CircleMember(device: "88888888", name: "attic"))
            #expect(await desktop.warnings.count == 1)
            host.devices.removeLast()
            #expect(await desktop.warnings.count == 2)
        }
    }

    @Test("A rule that is inserted first takes precedence over the others")
    func rulePutFirst() async throws {
        try await withDesktop("rule = ask") { desktop, _, _, _ in
            try await desktop.addRule("never device=desk", at: 1)
            #expect(await desktop.settings.action(for: offer()) == .never)
        }
    }

    @Test("A rule that hides a type keeps its activities on this device")
    func ruleHidesType() async throws {
        try await withDesktop("rule = hide type=org.example.diary") { _, _, _, host in
            try await host.advertises("org.example.diary", becomes: false)
            #expect(host.advertises("org.example.note"))
        }
    }
}
