// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names and addresses of this computer, as it knows them itself: nobody is asked.
package struct ThisMachine: Sendable {
    /// In lower case.
    private let names: Set<String>
    private let addresses: Set<HostAddress>

    /// - Parameters:
    ///   - name: The host name, with or without a domain.
    ///   - addresses: Those of the interfaces.
    init(name: String, addresses: [HostAddress]) {
        let whole = name.lowercased()
        let first = String(whole.prefix { $0 != "." })
        names = first.isEmpty ? [] : [whole, first, first + ".local"]
        self.addresses = Set(addresses)
    }

    /// What the kernel says now.
    package static var current: Self { Self(name: hostName(), addresses: interfaceAddresses()) }

    /// - Parameter host: The host of a URL, in lower case.
    func isCalled(_ host: String) -> Bool {
        names.contains(host) || HostAddress(host).map(addresses.contains) == true
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&buffer, buffer.count) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func interfaceAddresses() -> [HostAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next })
            .compactMap { $0?.pointee.ifa_addr.flatMap(address(of:)) }
    }

    private static func address(of address: UnsafeMutablePointer<sockaddr>) -> HostAddress? {
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            return HostAddress(bytes: withUnsafeBytes(of: address.sin_addr) { [UInt8]($0) })
        case AF_INET6:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            return HostAddress(bytes: withUnsafeBytes(of: address.sin6_addr) { [UInt8]($0) })
        default: return nil
        }
    }
}
