// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import SystemSetup

/// The options with which bluetoothd was started, as far as an ordinary user can read them, and a
/// command to improve them.
///
/// bluetoothd does not report its options over D-Bus.
struct BluetoothdSetup: Hashable, Sendable {
    /// The command line and configuration, or `nil` if they cannot be read.
    var options: BluetoothdOptions?
    /// A command that enables the drop-in for bluetooth.service, or `nil` if it is not installed.
    var dropIn: String?

    static func read(of daemon: BlueZDaemon) async -> BluetoothdSetup {
        let process = try? await daemon.connection.credentials(of: daemon.owner).processID
        return BluetoothdSetup(options: process.flatMap { BluetoothdOptions(process: $0) }, dropIn: command)
    }

    private static var command: String? {
        SetupStep.installBluetoothSettings.program.map {
            "sudo sh -c '\($0) && systemctl daemon-reload && systemctl restart bluetooth'"
        }
    }
}
