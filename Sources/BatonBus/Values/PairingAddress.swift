// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address of the other device for `Circle.Pair`: an IP address and a port.
///
/// Examples are `192.0.2.7:4711` and `[2001:db8::7]:4711`.
public struct PairingAddress: Hashable, Sendable {
    /// The IP address. An IPv6 address may end with a zone, such as `%eth0`.
    public let host: String
    /// The TCP port, above 0.
    public let port: UInt16

    /// Parses an address.
    ///
    /// - Throws: ``BatonError`` with `invalidArgument`.
    public init(_ text: String) throws {
        // Compare the texts, because Swift also parses "+80" and "080".
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
            text.hasSuffix(":\(port)"), let host = Self.host(text[..<colon])
        else {
            throw BatonError.invalid("address", .form(.address))
        }
        self.host = host
        self.port = port
    }

    private static func host(_ text: Substring) -> String? {
        var address = in6_addr()
        guard text.contains(":") else { return inet_pton(AF_INET, String(text), &address) == 1 ? String(text) : nil }
        let host = text.first == "[" && text.last == "]" ? text.dropFirst().dropLast() : text
        guard inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1 else { return nil }
        return String(host)
    }
}
