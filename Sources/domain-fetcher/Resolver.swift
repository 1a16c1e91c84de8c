// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Diagnosis
import Glibc
import NIOCore

/// Finds the addresses of a domain's servers.
enum Resolver {
    /// The largest number of addresses to try.
    static let maximumAddresses = 4

    /// Returns the addresses to which a connection is allowed, the best first.
    ///
    /// The caller must use these addresses and not ask DNS again, because only these were checked.
    ///
    /// - Parameters:
    ///   - place: The address to use instead of DNS.
    ///   - mayBeLocal: Whether addresses of this computer and of private networks are allowed.
    static func addresses(
        of domain: DomainName, at place: Options.Place?, mayBeLocal: Bool
    ) throws(DomainProblem) -> [SocketAddress] {
        let found: [SocketAddress]
        if let place {
            found = [try? SocketAddress(ipAddress: place.address, port: place.port)].compactMap { $0 }
        } else {
            found = try lookUp(domain)
        }
        let permitted = found.filter { address in
            switch reach(of: address) {
            case .global: true
            case .local: mayBeLocal
            case .nobody, nil: false
            }
        }
        guard !permitted.isEmpty else {
            throw DomainProblem(found.contains { reach(of: $0) == .local } ? .domainPrivate : .domainWithoutAddress)
        }
        return Array(permitted.prefix(maximumAddresses))
    }

    private static func lookUp(_ domain: DomainName) throws(DomainProblem) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        // The final dot makes the name absolute, so that the resolver does not try the network's
        // search domains.
        let status = getaddrinfo(domain.description + ".", "443", &hints, &list)
        guard status == 0 else {
            throw DomainProblem(.domainUnknown, message: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.prefix(64).compactMap {
            entry in
            guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
            switch entry.ai_family {
            case AF_INET:
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    SocketAddress($0.pointee, host: "")
                }
            case AF_INET6:
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    SocketAddress($0.pointee, host: "")
                }
            default: return nil
            }
        }
    }

    private static func reach(of address: SocketAddress) -> NetworkAddress.Reach? {
        let (family, count) = address.protocol == .inet ? (AF_INET, 4) : (AF_INET6, 16)
        var bytes = [UInt8](repeating: 0, count: count)
        guard let text = address.ipAddress, inet_pton(family, text, &bytes) == 1 else { return nil }
        return NetworkAddress(bytes)?.reach
    }
}
