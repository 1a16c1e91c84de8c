// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

extension IPAddress {
    /// The socket address of an endpoint that may be dialled.
    ///
    /// - Throws: `TransportError(.invalidArgument)` for names, port 0, and addresses that are not
    ///   one host's.
    static func dialable(_ endpoint: Endpoint) throws -> SocketAddress {
        switch endpoint.transport == .tcp ? host(endpoint.address, port: endpoint.port) : nil {
        case .v4(let address): return SocketAddress(address, host: endpoint.address)
        case .v6(let address): return SocketAddress(address, host: endpoint.address)
        // The address may be anything that a peer said: it does not go into the message.
        case nil: throw TransportError(.invalidArgument, "not an IP address and a TCP port")
        }
    }

    /// How a peer's address is spelt: IPv4 as IPv4, although it came in on an IPv6 socket.
    static func peer(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        let prefix = "::ffff:"
        return text.lowercased().hasPrefix(prefix) && text.contains(".") ? String(text.dropFirst(prefix.count)) : text
    }
}
