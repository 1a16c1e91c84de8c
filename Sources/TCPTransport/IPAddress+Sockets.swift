// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension IPAddress.Host {
    var socketAddress: SocketAddress {
        switch self {
        case .v4(let address): SocketAddress(address)
        case .v6(let address): SocketAddress(address)
        }
    }
}

extension IPAddress {
    /// Returns a peer's address as text. An IPv4 address from an IPv6 socket is written as IPv4.
    static func peer(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        let prefix = "::ffff:"
        return text.lowercased().hasPrefix(prefix) && text.contains(".") ? String(text.dropFirst(prefix.count)) : text
    }
}
