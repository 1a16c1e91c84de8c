// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A change to the system that only root can make, or the reversal of such a change.
///
/// The raw value is the name of the program that makes the change. These programs are in
/// `Packaging/setup`, and have no arguments.
public enum SetupStep: String, CaseIterable, Hashable, Sendable {
    /// Let systemd start bluetoothd as Baton needs it, from the next start of the computer on.
    case installBluetoothSettings = "install-bluetooth-settings"
    /// Let systemd start bluetoothd as before.
    case removeBluetoothSettings = "remove-bluetooth-settings"
    /// Let the firewall admit connections to Baton's fixed ports.
    case openFirewall = "open-firewall"
    /// Take the firewall's rule for Baton back.
    case closeFirewall = "close-firewall"

    /// The step that undoes this one.
    public var opposite: SetupStep {
        switch self {
        case .installBluetoothSettings: .removeBluetoothSettings
        case .removeBluetoothSettings: .installBluetoothSettings
        case .openFirewall: .closeFirewall
        case .closeFirewall: .openFirewall
        }
    }

    /// The path of the program that makes the change, or `nil` if it is not installed.
    public var program: String? { Self.program(called: rawValue) }

    /// The path of the program that tells every user whether this step would refuse. `nil` if only
    /// root can know that, or if the program is not installed.
    public var check: String? {
        switch self {
        case .installBluetoothSettings: Self.program(called: "check-bluetooth-settings")
        case .openFirewall: Self.program(called: "check-firewall")
        case .removeBluetoothSettings, .closeFirewall: nil
        }
    }

    /// polkit knows the programs only in these two places.
    private static func program(called name: String) -> String? {
        ["/usr/lib", "/usr/local/lib"].map { "\($0)/baton/setup/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
