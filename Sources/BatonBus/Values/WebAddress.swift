// SPDX-License-Identifier: Apache-2.0

import ActivityModel
package import FoundationEssentials
import HostAddresses

/// A page's address that may go from laptop to laptop.
///
/// Browsers read addresses more leniently than RFC 3986 has them (a backslash for a slash, hosts as
/// octal numbers): whatever they and this program could take for different hosts is refused.
package struct WebAddress: Hashable, Sendable {
    /// Why an address is not handed over, in words for the panel.
    package struct Refusal: Error, Hashable {
        package let reason: String

        package static let tooLong = Self(reason: "the page's address has more than \(maximumLength) bytes")
        package static let notWeb = Self(reason: "only pages of http and https are handed over")
        static let userInformation = Self(reason: "the page's address has a user name or a password in it")
        static let thisMachine = Self(reason: "the page is this computer's own")
        static let unclear = Self(reason: "the page's address cannot be read")
    }

    /// The longest, in bytes: that of the wire (`Documentation/Protocol/Session.md`).
    static let maximumLength = ActivityState.maximumWebpageLength

    /// The address, in the characters of RFC 3986.
    package let url: URL

    /// Reads the address of a page that may leave, or has been here already.
    ///
    /// - Parameter text: The address as a browser gives it.
    /// - Throws: ``Refusal``.
    package init(_ text: String) throws(Refusal) { try self.init(text, refusing: nil) }

    /// Reads the address of a page that is to be opened for another laptop. This computer's own
    /// names and addresses are refused: to the other laptop they lead elsewhere.
    ///
    /// - Parameters:
    ///   - text: The address as the other laptop gives it.
    ///   - machine: This computer.
    /// - Throws: ``Refusal``.
    package init(arriving text: String, at machine: ThisMachine = .current) throws(Refusal) {
        try self.init(text, refusing: machine)
    }

    private init(_ text: String, refusing machine: ThisMachine?) throws(Refusal) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw .notWeb
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unclear }
        try Self.check(authority: text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }, refusing: machine)
        let encoded = Self.encoded(text)
        guard encoded.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard let url = URL(string: encoded), url.host()?.isEmpty == false else { throw .unclear }
        self.url = url
    }

    private static func check(authority: Substring, refusing machine: ThisMachine?) throws(Refusal) {
        guard !authority.contains("@") else { throw .userInformation }
        guard let host = host(of: authority.lowercased()) else { throw .unclear }
        guard !isLoopback(host), machine?.isCalled(host) != true else { throw .thisMachine }
    }

    /// The host without its port; nil when it is none, or one that can be read in two ways.
    private static func host(of authority: String) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...]) else {
                return nil
            }
            return String(authority[...end])
        }
        var name = authority.prefix { $0 != ":" }
        guard isPort(authority.dropFirst(name.count)) else { return nil }
        if name.hasSuffix(".") { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isOfName) }), let last = labels.last else { return nil }
        // What ends in a number is an IPv4 address to a browser: only the plain form is.
        if last.first?.isNumber == true { return isPlainAddress(labels) ? String(name) : nil }
        return String(name)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && text.dropFirst().allSatisfy(\.isNumber) && text.count <= 6
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-" || character == "_"
    }

    private static func isPlainAddress(_ labels: [Substring]) -> Bool {
        labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// What every computer calls itself, and distributions' `/etc/hosts` do.
    private static let loopbackNames: Set = [
        "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
        "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
    ]

    private static func isLoopback(_ host: String) -> Bool {
        if loopbackNames.contains(host) || host.hasSuffix(".localhost") { return true }
        // An address in brackets that cannot be read is nobody's page.
        guard let address = HostAddress(host) else { return host.hasPrefix("[") }
        return address.isLoopback
    }

    /// An address whose path and query have only what RFC 3986 lets them have; browsers leave more.
    private static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (result, isFragment) = ("", false)
        for (index, byte) in bytes.enumerated() {
            let character = Character(Unicode.Scalar(byte))
            if character == "%" {
                let digits = bytes[(index + 1)...].prefix(2).filter { Character(Unicode.Scalar($0)).isHexDigit }
                result += digits.count == 2 ? "%" : "%25"
            } else if "\"<>\\^`{|}".contains(character) || character == "#" && isFragment {
                result += "%" + String(byte, radix: 16, uppercase: true)
            } else {
                result.append(character)
            }
            if character == "#" { isFragment = true }
        }
        return result
    }
}
