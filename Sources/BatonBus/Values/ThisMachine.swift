// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostAddresses

/// The names and addresses of this computer, as it knows them itself: nobody is asked.
package struct ThisMachine: Sendable {
    /// In lower case.
    private let names: Set<String>
    private let addresses: Set<HostAddress>

    /// - Parameters:
    ///   - name: The host name, with or without a domain.
    ///   - addresses: Those of the interfaces.
    init(name: String, addresses: Set<HostAddress>) {
        let whole = name.lowercased()
        let first = String(whole.prefix { $0 != "." })
        names = first.isEmpty ? [] : [whole, first, first + ".local"]
        self.addresses = addresses
    }

    /// What the kernel says now.
    package static var current: Self { Self(name: hostName(), addresses: HostAddress.ofInterfaces()) }

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
