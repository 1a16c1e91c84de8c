// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import SystemSetup
import TransportModel

/// The changes to the system that the window offers at present.
struct SetupChoices {
    let state: SetupState
    /// The changes that wait for a password, or are being made.
    let running: Set<SetupStep>
    /// Whether the firewall allows Baton, or nil if that is not known.
    private let isFirewallOpen: Bool?
    private let hasFixedPort: Bool

    /// No changes.
    static let none = SetupChoices(state: SetupState(), running: [], isFirewallOpen: nil, status: nil)

    init(state: SetupState, running: Set<SetupStep>, isFirewallOpen: Bool?, status: DaemonStatus?) {
        (self.state, self.running, self.isFirewallOpen) = (state, running, isFirewallOpen)
        hasFixedPort = (status?.endpoints ?? []).contains { endpoint in
            guard endpoint.hasPrefix("tcp:"), let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) })
            else { return false }
            return FixedPorts.all.contains(port)
        }
    }

    /// Whether the firewall's rules can help. They admit connections to the fixed ports only.
    var canOpenFirewall: Bool { state.isPossible && state.hasFirewall && hasFixedPort }

    /// Returns the change that may solve a problem.
    func cure(of finding: Finding) -> SetupStep? {
        switch FindingCode(rawValue: finding.code) {
        // The daemon knows whether the settings would help. If they would, its finding has a
        // command.
        case .bluetoothPlain?, .advertisingSlow?, .eattOn?, .addressPublic?:
            state.isPossible && !state.hasBluetoothSettings && finding.command != nil ? .installBluetoothSettings : nil
        case .tcpUnreached?, .firewallOn?: canOpenFirewall && isFirewallOpen != true ? .openFirewall : nil
        default: nil
        }
    }

    /// Returns whether a problem ends when the laptop restarts.
    func isCuredByRestart(_ finding: Finding) -> Bool {
        switch FindingCode(rawValue: finding.code) {
        case .bluetoothPlain?, .advertisingSlow?, .eattOn?, .addressPublic?:
            state.hasBluetoothSettings && finding.command != nil
        default: false
        }
    }

    /// Returns whether the user has already done here what can solve a problem.
    func isCuredByFirewall(_ finding: Finding) -> Bool {
        switch FindingCode(rawValue: finding.code) {
        case .tcpUnreached?, .firewallOn?: canOpenFirewall && isFirewallOpen == true
        default: false
        }
    }

    /// Returns the control with which the user makes one of several changes.
    func control(for steps: SetupStep...) -> Row.Control {
        guard !steps.contains(where: running.contains) else { return .busy(nil) }
        return .buttons(steps.filter { !isMade($0) }.map { PageButton(SetupText.button($0), .ask(.setUp($0))) })
    }

    /// Returns whether a change would ask for a password and then have no effect.
    private func isMade(_ step: SetupStep) -> Bool {
        switch step {
        case .openFirewall: isFirewallOpen == true
        case .closeFirewall: isFirewallOpen == false
        case .installBluetoothSettings, .removeBluetoothSettings: false
        }
    }
}
