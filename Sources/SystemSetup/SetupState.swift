// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state of the system as far as every user can see it.
public struct SetupState: Hashable, Sendable {
    /// The program that asks the user for an administrator's password.
    public static let pkexec = "/usr/bin/pkexec"

    /// Whether a program with a window can make the changes.
    public var isPossible = false
    /// Whether Baton's drop-in for bluetooth.service is in its place.
    public var hasBluetoothSettings = false
    /// Whether a firewall is installed that Baton knows.
    public var hasFirewall = false

    /// Creates the state of a system in which nothing can be changed.
    public init() {}

    /// The present state.
    public static var current: SetupState {
        var state = SetupState()
        state.isPossible = access(pkexec, X_OK) == 0 && SetupStep.allCases.allSatisfy { $0.program != nil }
        state.hasBluetoothSettings = access("/etc/systemd/system/bluetooth.service.d/baton.conf", F_OK) == 0
        let firewalls: [String] = ["/usr/sbin/ufw", "/usr/sbin/firewalld"]
        state.hasFirewall = firewalls.contains { access($0, F_OK) == 0 }
        return state
    }
}
