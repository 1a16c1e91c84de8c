// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state of the system as far as every user can see it.
public struct SetupState: Hashable, Sendable {
    /// The program that asks the user for an administrator's password.
    public static let pkexec = "/usr/bin/pkexec"

    /// Whether a program with a window can make the changes.
    public var isPossible = false
    /// Whether the link to Baton's drop-in for bluetooth.service is in its place.
    public var hasBluetoothSettings = false
    /// Whether a firewall is installed that Baton knows.
    public var hasFirewall = false

    /// Creates the state of a system in which nothing can be changed.
    public init() {}

    /// The present state.
    public static var current: SetupState {
        var state = SetupState()
        state.isPossible = access(pkexec, X_OK) == 0 && SetupStep.allCases.allSatisfy { $0.program != nil }
        state.hasBluetoothSettings = hasBluetoothSettings(in: "/etc/systemd/system/bluetooth.service.d", dropIns)
        let firewalls: [String] = ["/usr/sbin/ufw", "/usr/sbin/firewalld"]
        state.hasFirewall = firewalls.contains { access($0, F_OK) == 0 }
        return state
    }

    /// Returns whether a directory has the link to Baton's drop-in.
    ///
    /// Another file or link at this path does not count, and neither does a link behind a directory
    /// that is itself a link. Packaging/setup refuses to change these.
    ///
    /// - Parameter dropIns: The places where a drop-in may be installed.
    package static func hasBluetoothSettings(in directory: String, _ dropIns: [String]) -> Bool {
        guard destination(ofLink: directory) == nil, let target = destination(ofLink: "\(directory)/baton.conf") else {
            return false
        }
        return dropIns.contains(target) && access(target, F_OK) == 0
    }

    private static let dropIns = ["/usr", "/usr/local"].map { "\($0)/share/baton/bluetooth.service.d/baton.conf" }

    /// Returns the path in a symbolic link, or `nil` if there is no link at this path.
    private static func destination(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
