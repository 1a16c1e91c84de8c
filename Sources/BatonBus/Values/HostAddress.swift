// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The host of a URL that is an IP address.
struct HostAddress: Hashable, Sendable {
    /// 4 bytes, or 16 of an IPv6 address that stands for no IPv4 one.
    let bytes: [UInt8]

    /// - Parameter host: As a URL has it: IPv6 addresses are in brackets. Nil for a name.
    init?(_ host: String) {
        let isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let text = isIPv6 ? String(host.dropFirst().dropLast()) : host
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    init(bytes: [UInt8]) {
        let carriesIPv4 =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 }
            && [[0, 0], [255, 255]].contains(Array(bytes[10..<12]))
        self.bytes = carriesIPv4 ? Array(bytes[12...]) : bytes
    }
}
