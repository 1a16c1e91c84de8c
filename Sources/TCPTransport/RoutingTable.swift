// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds the interfaces through which this machine reaches networks other than its own.
///
/// Source: the kernel's `/proc/net/route` and `/proc/net/ipv6_route`, net/ipv4/fib_trie.c and
/// net/ipv6/route.c.
enum RoutingTable {
    /// The maximum number of bytes that are read from a table.
    private static let maximumLength = 1 << 20
    /// The flags of a route that is in use, and of a route that refuses its destination
    /// (linux/route.h).
    private static let (isUp, isRefused) = (UInt32(0x1), UInt32(0x200))

    /// Returns the names of the interfaces that have a default route now, for IPv4 or IPv6.
    static func defaultInterfaces() -> Set<String> {
        defaultInterfaces(ofIPv4: text(of: "/proc/net/route")).union(
            defaultInterfaces(ofIPv6: text(of: "/proc/net/ipv6_route")))
    }

    /// Returns the interfaces with a default route in the text of `/proc/net/route`.
    ///
    /// - Parameter table: A line for each route with the interface, the destination, the gateway,
    ///   the flags and, as the eighth word, the mask.
    static func defaultInterfaces(ofIPv4 table: String) -> Set<String> {
        interfaces(in: table) { words in
            guard words.count > 7, UInt32(words[1], radix: 16) == 0, UInt32(words[7], radix: 16) == 0 else {
                return nil
            }
            return (words[0], words[3])
        }
    }

    /// Returns the interfaces with a default route in the text of `/proc/net/ipv6_route`.
    ///
    /// - Parameter table: A line for each route with the destination, the length of its prefix and,
    ///   as the last two words, the flags and the interface.
    static func defaultInterfaces(ofIPv6 table: String) -> Set<String> {
        interfaces(in: table) { words in
            guard words.count > 9, words[0].allSatisfy({ $0 == "0" }), UInt8(words[1], radix: 16) == 0 else {
                return nil
            }
            return (words[9], words[8])
        }
    }

    private static func interfaces(
        in table: String, _ route: ([Substring]) -> (interface: Substring, flags: Substring)?
    ) -> Set<String> {
        Set(
            table.split(separator: "\n").compactMap { line in
                guard let route = route(line.split { $0 == " " || $0 == "\t" }),
                    let flags = UInt32(route.flags, radix: 16), flags & isUp != 0, flags & isRefused == 0
                else { return nil }
                return String(route.interface)
            })
    }

    /// Returns the text of one of the kernel's files, or an empty text if the file cannot be
    /// opened.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < maximumLength, case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
