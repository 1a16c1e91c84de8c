// SPDX-License-Identifier: Apache-2.0

/// A zone of firewalld, from `firewall-cmd --list-all-zones`. Some systems let only administrators
/// call it.
struct FirewallZone: Hashable {
    let name: String
    var isActive: Bool
    /// The action for packets that match no rule.
    var target = ""
    /// The zone's interfaces.
    var interfaces: [Substring] = []
    /// The open TCP ports.
    var ports: [ClosedRange<Int>] = []
    /// Whether the zone has rules that this type does not understand.
    var hasOtherRules = false

    /// Parses the description of all zones.
    static func parse(_ text: String) -> [FirewallZone] {
        var zones: [FirewallZone] = []
        for line in text.split(separator: "\n") {
            if line.first?.isWhitespace == false {
                zones.append(FirewallZone(heading: line))
            } else if !zones.isEmpty {
                zones[zones.count - 1].read(line)
            }
        }
        return zones
    }

    private init(heading: Substring) {
        name = String(heading.prefix { !$0.isWhitespace })
        isActive = heading.dropFirst(name.count).contains("active")
    }

    private mutating func read(_ line: Substring) {
        guard let colon = line.firstIndex(of: ":") else {
            // A line without a colon is a rich rule.
            hasOtherRules = true
            return
        }
        let words = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace)
        switch line[..<colon].drop(while: \.isWhitespace) {
        case "target": target = words.first.map(String.init) ?? ""
        case "interfaces": interfaces = words
        case "ports": ports = words.compactMap(Self.tcpPorts)
        case "services": hasOtherRules = hasOtherRules || !words.allSatisfy(Self.servicesOfOthers.contains)
        case "sources", "protocols", "source-ports", "rich rules": hasOtherRules = hasOtherRules || !words.isEmpty
        default: break
        }
    }

    /// Services in firewalld's default zones that do not open Baton's ports. A service that is not
    /// listed here might open them.
    private static let servicesOfOthers: Set<Substring> = [
        "cockpit", "dhcp", "dhcpv6", "dhcpv6-client", "dns", "http", "https", "ipp-client", "kdeconnect", "mdns",
        "samba-client", "ssh", "tftp",
    ]

    /// Parses "1714-1764/tcp" or "22/tcp". Returns `nil` for other protocols.
    private static func tcpPorts(_ word: Substring) -> ClosedRange<Int>? {
        let parts = word.split(separator: "/")
        guard parts.count == 2, parts[1] == "tcp" else { return nil }
        let ends = parts[0].split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else { return nil }
        return first...last
    }

    fileprivate func isClosed(to port: Int) -> Bool {
        !hasOtherRules && !ports.contains { $0.contains(port) }
    }

    /// Whether the zone's name needs no quoting in a shell.
    fileprivate var isPlain: Bool {
        guard (1...64).contains(name.utf8.count), name.first != "-" else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

extension [FirewallZone] {
    /// Returns a zone that blocks a TCP port, but only if all zones in use block it.
    ///
    /// All zones must block it, because it is unknown through which zone another device connects.
    ///
    /// - Returns: The name of the first zone in use, or `nil` if a zone may let the connection
    ///   through.
    func closed(to port: Int) -> String? {
        // The zones of containers and virtual machines accept everything.
        let inForce = filter { $0.isActive && !$0.interfaces.isEmpty && $0.target != "ACCEPT" }
        guard let zone = inForce.first, inForce.allSatisfy({ $0.isClosed(to: port) && $0.isPlain }) else { return nil }
        return zone.name
    }
}
