// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import SystemSetup
import Testing
import WindowModel

/// The changes to the system that need an administrator's password.
@Suite struct SetupTests {
    private static let plain = Finding(.bluetoothPlain, command: "sudo install")
    private static let unreached = Finding(.tcpUnreached, ["laptop": "sofa"])

    /// A model on the page of problems, on a laptop on which everything is installed.
    private func troubled(
        _ finding: Finding, port: Int = 21_741, _ change: (inout SetupState) -> Void = { _ in }
    ) -> WindowModel {
        var status = paired(findings: [finding])
        status.endpoints = ["tcp:192.168.1.7:\(port)"]
        var system = SetupState()
        (system.isPossible, system.hasFirewall) = (true, true)
        change(&system)
        var model = connected(status)
        _ = model.handle(.acted(.show(.trouble)))
        _ = model.handle(.system(system))
        return model
    }

    private func actions(_ row: Row?) -> [WindowAction] {
        guard case .buttons(let buttons)? = row?.control else { return [] }
        return buttons.map(\.action)
    }

    @Test("A problem that Baton's Bluetooth settings solve has a button on both pages, and asks before the change")
    func bluetooth() {
        var model = troubled(Self.plain)
        #expect(actions(model.page.row("findings", "0-bluetooth-plain")) == [.ask(.setUp(.installBluetoothSettings))])
        let effects = model.handle(.acted(.ask(.setUp(.installBluetoothSettings))))
        guard case .ask(let question, let action)? = effects.first else { return fail("no question") }
        #expect(question.text.hasSuffix("The change takes effect when this laptop restarts."))
        #expect(!question.isDestructive)
        #expect(model.handle(.acted(action)) == [.setUp(.installBluetoothSettings)])
        _ = model.handle(.acted(.back))
        #expect(model.page.row("finding", "finding")?.control == .busy(nil))
    }

    @Test("A problem keeps its row when a worse one ends")
    func rowsStay() {
        let unreached = Finding(.tcpUnreached, ["laptop": "attic"])
        var model = connected(paired(findings: [Finding(.adapterOff), Self.unreached, unreached]))
        _ = model.handle(.acted(.show(.trouble)))
        let ids = model.page.section("findings")?.rows.map(\.id)
        #expect(ids == ["0-adapter-off", "0-tcp-unreached", "1-tcp-unreached"])
        _ = model.handle(.status(paired(findings: [Self.unreached, unreached])))
        #expect(model.page.section("findings")?.rows.map(\.id) == ids.map { Array($0.dropFirst()) })
    }

    @Test("A change begins once, and its button cannot be pressed until it has ended")
    func once() {
        var model = troubled(Self.plain)
        #expect(model.handle(.acted(.setUp(.installBluetoothSettings))) == [.setUp(.installBluetoothSettings)])
        #expect(model.page.row("findings", "0-bluetooth-plain")?.control == .busy(nil))
        #expect(model.handle(.acted(.setUp(.installBluetoothSettings))).isEmpty)
        _ = model.handle(.setUp(.installBluetoothSettings, .dismissed))
        #expect(actions(model.page.row("findings", "0-bluetooth-plain")) == [.ask(.setUp(.installBluetoothSettings))])
        #expect(model.handle(.acted(.setUp(.installBluetoothSettings))) == [.setUp(.installBluetoothSettings)])
    }

    @Test("Each result is reported, and the system's setup is checked again", arguments: SetupOutcome.allCases)
    func results(outcome: SetupOutcome) {
        for step in SetupStep.allCases {
            var model = troubled(Self.plain)
            _ = model.handle(.acted(.setUp(step)))
            let effects = model.handle(.setUp(step, outcome))
            #expect(effects.first == .readSystem)
            guard case .toast(let text, nil)? = effects.last else { return fail("nothing is said") }
            #expect(text.hasSuffix("."))
            let isSaidToBeChanged = !text.hasPrefix("Nothing was changed")
            #expect(isSaidToBeChanged == [.done, .failed, .firewallFailed].contains(outcome))
            // Another network helps only a user who wanted to be reached.
            #expect(text.contains("another network") == (outcome == .noFirewall && step != .closeFirewall))
        }
    }

    @Test("Settings that wait for a restart have no button for the problem, but one that removes them")
    func installed() {
        let page = troubled(Self.plain) { $0.hasBluetoothSettings = true }.page
        let row = page.row("findings", "0-bluetooth-plain")
        #expect(row?.control == Row.Control.none)
        #expect(row?.subtitle == "Restart this laptop, so that Baton's Bluetooth settings take effect.")
        #expect(actions(page.row("system", "bluetooth")) == [.ask(.setUp(.removeBluetoothSettings))])
    }

    @Test("Without the programs, or where the settings do not help, there is no button")
    func impossible() {
        #expect(
            troubled(Self.plain) { $0.isPossible = false }.page.row("findings", "0-bluetooth-plain")?.control
                == Row.Control.none)
        let old = Finding(.bluetoothPlain, ["outdated": "5.70"])
        #expect(troubled(old).page.row("findings", "0-bluetooth-plain")?.control == Row.Control.none)
        #expect(troubled(Self.unreached) { $0.isPossible = false }.page.section("system") == nil)
    }

    @Test("The firewall is offered only if one is installed, and if Baton listens at a fixed port")
    func firewall() {
        let page = troubled(Self.unreached).page
        #expect(actions(page.row("findings", "0-tcp-unreached")) == [.ask(.setUp(.openFirewall))])
        #expect(actions(page.row("system", "firewall")) == [.ask(.setUp(.openFirewall)), .ask(.setUp(.closeFirewall))])
        for page in [
            troubled(Self.unreached, port: 40_000).page, troubled(Self.unreached) { $0.hasFirewall = false }.page,
        ] {
            #expect(page.row("findings", "0-tcp-unreached")?.control == Row.Control.none)
            #expect(page.section("system") == nil)
        }
    }

    @Test("After a change of the firewall, no password is asked for the same change again")
    func firewallIsRemembered() {
        func after(_ step: SetupStep, _ outcome: SetupOutcome) -> Page {
            var model = troubled(Self.unreached)
            _ = model.handle(.acted(.setUp(step)))
            _ = model.handle(.setUp(step, outcome))
            return model.page
        }
        let both: [WindowAction] = [.ask(.setUp(.openFirewall)), .ask(.setUp(.closeFirewall))]
        let open = after(.openFirewall, .done)
        #expect(actions(open.row("system", "firewall")) == [both[1]])
        #expect(open.row("findings", "0-tcp-unreached")?.control == Row.Control.none)
        #expect(open.row("findings", "0-tcp-unreached")?.subtitle.hasPrefix("The firewall now allows Baton.") == true)
        for outcome in [SetupOutcome.done, .noFirewall] {
            let closed = after(.closeFirewall, outcome)
            #expect(actions(closed.row("system", "firewall")) == [both[0]])
            #expect(actions(closed.row("findings", "0-tcp-unreached")) == [both[0]])
        }
        for (step, outcome) in [
            (SetupStep.openFirewall, SetupOutcome.dismissed), (.openFirewall, .noFirewall), (.closeFirewall, .failed),
            (.closeFirewall, .firewallFailed),
        ] {
            #expect(actions(after(step, outcome).row("system", "firewall")) == both, "\(step) \(outcome)")
        }
    }

    @Test("In another network, the firewall may have other rules, so both changes are offered again")
    func firewallOfAnotherNetwork() {
        var model = troubled(Self.unreached)
        _ = model.handle(.acted(.setUp(.openFirewall)))
        _ = model.handle(.setUp(.openFirewall, .done))
        var status = paired(findings: [Self.unreached])
        status.endpoints = ["tcp:192.168.1.7:21741"]
        _ = model.handle(.status(status))
        #expect(actions(model.page.row("system", "firewall")).count == 1)
        status.endpoints = ["tcp:10.0.0.7:21741"]
        _ = model.handle(.status(status))
        #expect(actions(model.page.row("system", "firewall")).count == 2)
    }

    @Test("Only Baton's own link counts as Bluetooth settings, not another file or link in its place")
    func dropIn() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-setup-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let (directory, dropIn, other) = ("\(root)/etc", "\(root)/share.conf", "\(root)/other.conf")
        let link = "\(directory)/baton.conf"
        let files = FileManager.default
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for path in [dropIn, other] { #expect(files.createFile(atPath: path, contents: Data("[Service]\n".utf8))) }
        func isSetUp(_ directory: String = directory) -> Bool {
            SetupState.hasBluetoothSettings(in: directory, [dropIn])
        }
        #expect(!isSetUp())
        // A copy is not removed by Baton, and does not follow Baton's upgrades.
        try files.copyItem(atPath: dropIn, toPath: link)
        #expect(!isSetUp())
        for (target, isBatons) in [(other, false), ("\(root)/none.conf", false), (directory, false), (dropIn, true)] {
            try files.removeItem(atPath: link)
            try files.createSymbolicLink(atPath: link, withDestinationPath: target)
            #expect(isSetUp() == isBatons, "\(target)")
        }
        try files.createSymbolicLink(atPath: "\(root)/linked", withDestinationPath: directory)
        #expect(!isSetUp("\(root)/linked"))
        try files.removeItem(atPath: dropIn)
        #expect(!isSetUp())
    }

    @Test("A program that asks for the password and is missing is distinguished from a refusal")
    func agent() {
        let message = "Error executing command as another user: No authentication agent found.\n"
        #expect(SetupOutcome(status: 127, message: message) == .noAgent)
        #expect(
            SetupOutcome(status: 127, message: "Error executing command as another user: Not authorized\n")
                == .forbidden)
        #expect(SetupOutcome(status: 127, message: "") == .forbidden)
        #expect(SetupOutcome(status: 126, message: message) == .dismissed)
        #expect(SetupOutcome(status: 12, message: "baton: /etc/bluetooth/main.conf") == .configurationChanged)
    }

    @Test("Exit statuses that neither the programs nor pkexec define count as a failure")
    func statuses() {
        #expect(SetupOutcome(status: 12) == .configurationChanged)
        #expect([2, 64, 77, 125, 137, 256, -1].allSatisfy { SetupOutcome(status: $0) == .failed })
        #expect(SetupStep.allCases.allSatisfy { $0.opposite.opposite == $0 && $0.opposite != $0 })
    }
}
