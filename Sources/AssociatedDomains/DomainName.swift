// SPDX-License-Identifier: Apache-2.0

/// A DNS domain name in lower case: at least two labels of letters, digits and hyphens.
///
/// Names in other scripts are in Punycode, such as `xn--bcher-kva.de`, as in the web addresses of
/// activities. Source: RFC 1123, section 2.1; RFC 5890, section 2.3.1.
public struct DomainName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name without a final dot.
    public let description: String

    /// The longest name, in bytes.
    public static let maximumLength = 253
    /// The longest label, in bytes.
    public static let maximumLabelLength = 63
    /// Top-level names that belong to this computer or its network, or that are not in DNS.
    private static let local: Set<String> = ["localhost", "local", "onion"]

    /// Reads a name, ignoring one final dot.
    ///
    /// Returns nil for an invalid name, an IP address, or a name that is local to this computer or
    /// its network.
    public init?(_ text: some StringProtocol) {
        var text = Substring(text)
        if text.utf8.last == UInt8(ascii: ".") { text = text.dropLast() }
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ Self.isLabel(Array($0)) }), let last = labels.last else {
            return nil
        }
        // Reject a last label that begins with a digit. Browsers treat a name that ends with a
        // number as an IPv4 address.
        guard last.first.map({ !Self.isDigit($0) }) == true else { return nil }
        description = String(decoding: text.utf8.map(Self.lowercased), as: UTF8.self)
        let topLevel = String(decoding: last.map(Self.lowercased), as: UTF8.self)
        if Self.local.contains(topLevel) { return nil }
    }

    /// Compares the texts.
    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }

    /// Returns whether this is a subdomain of another name.
    ///
    /// `www.example.com` is below `example.com`. A name is not below itself.
    func isBelow(_ other: Self) -> Bool { description.hasSuffix("." + other.description) }

    private static func isLabel(_ label: [UInt8]) -> Bool {
        let dash = UInt8(ascii: "-")
        return (1...maximumLabelLength).contains(label.count) && label.first != dash && label.last != dash
            && label.allSatisfy { isDigit($0) || isLetter($0) || $0 == dash }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
    }
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }
}
