// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import Descriptors

/// How a bluetoothd was started, as far as any user's program can see, and what mends that.
/// bluetoothd tells nothing of it over D-Bus.
struct BluetoothdSetup: Hashable, Sendable {
    /// Its command line and its configuration; `nil` when they are not to be seen.
    var options: BluetoothdOptions?
    /// A command that puts the drop-in for bluetooth.service in force; `nil` where it is not
    /// installed.
    var dropIn: String?

    /// The setup of a bluetoothd.
    static func read(of daemon: BlueZDaemon) async -> BluetoothdSetup {
        let process = try? await daemon.connection.credentials(of: daemon.owner).processID
        return BluetoothdSetup(options: process.flatMap { BluetoothdOptions(process: $0) }, dropIn: command)
    }

    private static var command: String? {
        let name = "baton/bluetooth.service.d/baton.conf"
        return ["/usr/share", "/usr/local/share"].first { FileContents.text("\($0)/\(name)") != nil }.map { share in
            "sudo sh -c 'mkdir -p /etc/systemd/system/bluetooth.service.d "
                + "&& ln -sf \(share)/\(name) /etc/systemd/system/bluetooth.service.d/ "
                + "&& systemctl daemon-reload && systemctl restart bluetooth'"
        }
    }
}
