// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Diagnosis
import SystemSetup
import TransportModel

/// A firewall that is on and blocks connections that no rule allows.
///
/// Only root can read ufw's rules, so an active firewall may still let Baton through. A firewall is
/// a finding only after another device has failed to reach this one.
enum Firewall: Hashable, Sendable {
    case ufw
    /// firewalld, with a zone that blocks the port.
    case firewalld(zone: String)

    /// Returns the firewall that probably blocks a port, or `nil` if no such firewall is known.
    static func before(port: Int) async throws -> Firewall? {
        // Every user can read these files of ufw(8).
        if isOn(ufw: text(of: "/etc/ufw/ufw.conf"), defaults: text(of: "/etc/default/ufw")) { return .ufw }
        guard let zones = try await CommandOutput.of("firewall-cmd --list-all-zones") else { return nil }
        return FirewallZone.parse(zones).closed(to: port).map { .firewalld(zone: $0) }
    }

    private static func text(of path: String) -> String { FileContents.text(path) ?? "" }

    /// Returns whether ufw is on and blocks packets that match no rule, according to its
    /// configuration and its defaults.
    static func isOn(ufw: String, defaults: String) -> Bool {
        guard value(of: "ENABLED", in: ufw)?.lowercased() == "yes" else { return false }
        return ["DROP", "REJECT"].contains(value(of: "DEFAULT_INPUT_POLICY", in: defaults) ?? "")
    }

    /// Returns the value of a shell variable. The last assignment counts.
    private static func value(of name: String, in text: String) -> String? {
        let values = text.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == name else { return nil }
            return String(parts[1].filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace })
        }
        return values.last
    }

    /// Returns the finding for a laptop that another device did not reach.
    ///
    /// - Parameters:
    ///   - port: The port at which this laptop listens.
    ///   - program: The program that allows the fixed ports, or `nil` if it is not installed.
    func finding(port: Int, program: String? = SetupStep.openFirewall.program) -> Finding {
        let ports = Self.ports(around: port)
        let command = Self.fixed.contains(port) ? program.map { "sudo \($0)" } : nil
        return Finding(.firewallOn, ["firewall": .text(name)], command: command ?? self.command(opening: ports))
    }

    private var name: String {
        switch self {
        case .ufw: "ufw"
        case .firewalld: "firewalld"
        }
    }

    private func command(opening ports: ClosedRange<Int>) -> String {
        switch self {
        case .ufw:
            "sudo ufw allow \(ports.lowerBound):\(ports.upperBound)/tcp && sudo ufw allow \(FixedPorts.datagrams)/udp"
        case .firewalld(let zone):
            // Once for each start of firewalld, and once for now. A reload would drop the rules
            // that the administrator has not made permanent.
            ["--permanent ", ""].map { life in
                "sudo firewall-cmd \(life)--zone=\(zone) --add-port=\(ports.lowerBound)-\(ports.upperBound)/tcp "
                    + "--add-port=\(FixedPorts.datagrams)/udp"
            }.joined(separator: " && ")
        }
    }

    private static let fixed = Int(FixedPorts.all.lowerBound)...Int(FixedPorts.all.upperBound)

    /// Returns the ports to open. These are all fixed ports, because another user of this machine
    /// may take the first one. If batond listens at no fixed port, the kernel chose its port, and
    /// may choose any port of its range the next time.
    static func ports(around port: Int, _ chosenByKernel: EphemeralPorts = .current) -> ClosedRange<Int> {
        fixed.contains(port) ? fixed : chosenByKernel.first...chosenByKernel.last
    }
}

/// The range from which the kernel chooses a port for a program that asks for any port.
struct EphemeralPorts: Hashable, Sendable {
    let first: Int
    let last: Int

    /// The kernel's present range, as described in ip(7).
    static var current: EphemeralPorts {
        EphemeralPorts(parsing: FileContents.text("/proc/sys/net/ipv4/ip_local_port_range", limit: 64) ?? "")
    }

    /// Parses the kernel's text. Uses the kernel's default range if the text is invalid.
    init(parsing text: String) {
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        let isRange = numbers.count == 2 && 1...65_535 ~= numbers[0] && numbers[0]...65_535 ~= numbers[1]
        (first, last) = isRange ? (numbers[0], numbers[1]) : (32_768, 60_999)
    }
}
