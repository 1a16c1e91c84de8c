// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import LocalNetworks

/// `network-watcher`: prints the local networks, on a new line after each change. A line has all
/// networks, separated by `; `. Each network has its interface, its properties, addresses, gateways
/// and identities.
@main
struct NetworkWatcher {
    static func main() async {
        let networks = LocalNetworks()
        for await state in networks.states {
            // Write at once, because `print` has a buffer.
            let line = state.map(line).joined(separator: "; ") + "\n"
            _ = Glibc.write(STDOUT_FILENO, line, line.utf8.count)
        }
        withExtendedLifetime(networks) {}
    }

    private static func line(_ network: LocalNetwork) -> String {
        let gateways = network.gateways.map { gateway in
            let known = gateway.linkLayerAddress.map(hexadecimal) ?? "unknown"
            return "via \(hexadecimal(gateway.address))/\(gateway.prefixLength) at \(known)"
        }
        let words =
            [network.name] + (network.isLinkLocalOnly ? ["cable"] : [])
            + network.addresses.map { "\(hexadecimal($0.bytes))/\($0.prefixLength)" }.sorted() + gateways
            + network.identities(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32))).map {
                "is \(hexadecimal($0.bytes))"
            }
        return words.joined(separator: " ")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
