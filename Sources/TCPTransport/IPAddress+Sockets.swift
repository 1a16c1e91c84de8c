// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension IPAddress.Host {
    /// The address as SwiftNIO has it.
    var socketAddress: SocketAddress {
        switch self {
        case .v4(let address): SocketAddress(address)
        case .v6(let address): SocketAddress(address)
        }
    }
}

extension IPAddress {
    /// How a peer's address is spelt: IPv4 as IPv4, although it came in on an IPv6 socket.
    static func peer(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        let prefix = "::ffff:"
        return text.lowercased().hasPrefix(prefix) && text.contains(".") ? String(text.dropFirst(prefix.count)) : text
    }
}
