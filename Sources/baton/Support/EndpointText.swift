// SPDX-License-Identifier: Apache-2.0

/// Where a device can be reached, for people: an IPv6 address has brackets, as `baton pair
/// --address` takes it.
enum EndpointText {
    private static let transport = "tcp:"

    /// An endpoint as the daemon names it.
    static func line(_ endpoint: String) -> String {
        endpoint.hasPrefix(transport) ? transport + address(endpoint) : endpoint
    }

    /// `tcp:192.0.2.7:4711` without its transport.
    static func address(_ endpoint: String) -> String {
        let rest = endpoint.dropFirst(transport.count)
        guard let colon = rest.lastIndex(of: ":") else { return String(rest) }
        let host = rest[..<colon]
        return host.contains(":") ? "[\(host)]\(rest[colon...])" : String(rest)
    }
}
