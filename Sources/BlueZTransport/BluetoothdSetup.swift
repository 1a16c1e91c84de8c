// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus

/// How a bluetoothd was started, and what it stands on, as far as any user's program can see.
/// bluetoothd tells nothing of it over D-Bus.
struct BluetoothdSetup: Hashable, Sendable {
    /// Its command line and its configuration; `nil` when they are not to be seen.
    var options: BluetoothdOptions?
    /// Whether the kernel says of every controller that can whether it is central and peripheral at
    /// once: Linux 6.11 and later, for the list was one of drivers before.
    var kernelTellsRoles = false
    /// A command that puts the drop-in for bluetooth.service in force; `nil` where it is not
    /// installed.
    var dropIn: String?

    /// The setup of a bluetoothd.
    static func read(of daemon: BlueZDaemon) async -> BluetoothdSetup {
        let process = try? await daemon.connection.credentials(of: daemon.owner).processID
        return BluetoothdSetup(
            options: process.flatMap { BluetoothdOptions(process: $0) },
            kernelTellsRoles: SmallFile.read("/proc/sys/kernel/osrelease").map(tellsRoles) ?? false, dropIn: command)
    }

    /// Whether a kernel of this release tells the roles.
    static func tellsRoles(release: String) -> Bool {
        let numbers = release.split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 11)
    }

    private static var command: String? {
        let name = "baton/bluetooth.service.d/baton.conf"
        return ["/usr/share", "/usr/local/share"].first { SmallFile.read("\($0)/\(name)") != nil }.map { share in
            "sudo sh -c 'mkdir -p /etc/systemd/system/bluetooth.service.d "
                + "&& ln -sf \(share)/\(name) /etc/systemd/system/bluetooth.service.d/ "
                + "&& systemctl daemon-reload && systemctl restart bluetooth'"
        }
    }
}
