// SPDX-License-Identifier: Apache-2.0

/// What firewalld says of one of its zones: `firewall-cmd --list-all-zones`, which it tells users
/// too.
struct FirewallZone: Hashable {
    /// What it is called.
    let name: String
    /// Whether something is in it.
    var isActive: Bool
    /// What happens with what no rule is about.
    var target = ""
    /// The interfaces in it.
    var interfaces: [Substring] = []
    /// Which TCP ports it lets in.
    var ports: [ClosedRange<Int>] = []
    /// Whether there are rules that are not read here.
    var hasOtherRules = false

    /// All that firewalld describes.
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
            // A rich rule stands in a line of its own.
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

    /// Services of firewalld's own zones, none of which lets Baton in. One that somebody made
    /// himself may.
    private static let servicesOfOthers: Set<Substring> = [
        "cockpit", "dhcp", "dhcpv6", "dhcpv6-client", "dns", "http", "https", "ipp-client", "kdeconnect", "mdns",
        "samba-client", "ssh", "tftp",
    ]

    /// "1714-1764/tcp" or "22/tcp".
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

    /// Whether a shell takes the name as it is.
    fileprivate var isPlain: Bool {
        guard (1...64).contains(name.utf8.count), name.first != "-" else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

extension [FirewallZone] {
    /// The zone that keeps a TCP port closed, where there is no doubt: nobody knows in which one
    /// another device knocks.
    ///
    /// - Returns: Its name.
    func closed(to port: Int) -> String? {
        // Those of containers and virtual machines let everything in.
        let inForce = filter { $0.isActive && !$0.interfaces.isEmpty && $0.target != "ACCEPT" }
        guard let zone = inForce.first, inForce.allSatisfy({ $0.isClosed(to: port) && $0.isPlain }) else { return nil }
        return zone.name
    }
}
