// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostAddresses

/// The names and addresses of this computer, from the kernel and not from name lookups.
package struct ThisMachine: Sendable {
    /// The computer's names, in lower case.
    private let names: Set<String>
    private let addresses: Set<HostAddress>

    /// Creates the names and addresses of a computer.
    ///
    /// - Parameters:
    ///   - name: The host name, with or without a domain.
    ///   - addresses: The addresses of the network interfaces.
    init(name: String, addresses: Set<HostAddress>) {
        let whole = name.lowercased()
        let first = String(whole.prefix { $0 != "." })
        names = first.isEmpty ? [] : [whole, first, first + ".local"]
        self.addresses = addresses
    }

    /// The names and addresses that the kernel reports now.
    package static var current: Self { Self(name: hostName(), addresses: HostAddress.ofInterfaces()) }

    /// Returns whether a host is one of this computer's names or addresses.
    ///
    /// - Parameter host: The host of a URL, in lower case.
    func isCalled(_ host: String) -> Bool {
        names.contains(host) || HostAddress(host).map(addresses.contains) == true
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&buffer, buffer.count) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
