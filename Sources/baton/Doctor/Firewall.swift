// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Diagnosis

/// A firewall that is on here, and lets in only what it was told to.
///
/// What ufw was told only root can read. So a firewall is no finding by itself, but only where
/// another device was seen to fail to reach this one.
enum Firewall: Hashable, Sendable {
    case ufw
    /// The zone that is in force.
    case firewalld(zone: String)

    /// Where they say, to everybody, whether they are on.
    struct Files: Sendable {
        /// ufw(8): whether it is on.
        var ufw = "/etc/ufw/ufw.conf"
        /// What it does with what no rule is about.
        var ufwDefaults = "/etc/default/ufw"
    }

    /// What keeps others from a port; nil for nothing that says so.
    static func before(port: Int, _ files: Files = Files()) async throws -> Firewall? {
        if isOn(ufw: text(of: files.ufw), defaults: text(of: files.ufwDefaults)) { return .ufw }
        guard let zones = try await CommandOutput.of("firewall-cmd --list-all-zones") else { return nil }
        return FirewallZone.parse(zones).closed(to: port).map { .firewalld(zone: $0) }
    }

    private static func text(of path: String) -> String { FileContents.text(path) ?? "" }

    /// Whether ufw is on, and keeps out what no rule lets in.
    static func isOn(ufw: String, defaults: String) -> Bool {
        guard value(of: "ENABLED", in: ufw) == "yes" else { return false }
        return ["DROP", "REJECT"].contains(value(of: "DEFAULT_INPUT_POLICY", in: defaults) ?? "")
    }

    /// What a shell would have a variable set to; the last line counts.
    private static func value(of name: String, in text: String) -> String? {
        let values = text.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == name else { return nil }
            return String(parts[1].filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace })
        }
        return values.last
    }

    /// What is to be said where another device did not reach this one.
    func finding(_ ports: EphemeralPorts = .current) -> Finding {
        let (name, command) =
            switch self {
            case .ufw: ("ufw", "sudo ufw allow \(ports.first):\(ports.last)/tcp")
            case .firewalld(let zone):
                (
                    "firewalld",
                    "sudo firewall-cmd --permanent --zone=\(zone) --add-port=\(ports.first)-\(ports.last)/tcp && "
                        + "sudo firewall-cmd --reload"
                )
            }
        return Finding(
            .firewallOn,
            "\(name) is on here, and another device did not reach this laptop by TCP: let TCP in at the ports that the kernel "
                + "chooses from ('\(command)')",
            command: command)
    }
}

/// The ports that the kernel chooses from, for who asks for any, as batond does.
struct EphemeralPorts: Hashable, Sendable {
    /// The lowest.
    let first: Int
    /// The highest.
    let last: Int

    /// ip(7), where the kernel says so.
    static var current: EphemeralPorts {
        EphemeralPorts(parsing: FileContents.text("/proc/sys/net/ipv4/ip_local_port_range", limit: 64) ?? "")
    }

    /// The kernel's own words, or its default where they are others.
    init(parsing text: String) {
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        let isRange = numbers.count == 2 && 1...65_535 ~= numbers[0] && numbers[0]...65_535 ~= numbers[1]
        (first, last) = isRange ? (numbers[0], numbers[1]) : (32_768, 60_999)
    }
}
