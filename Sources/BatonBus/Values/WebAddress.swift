// SPDX-License-Identifier: Apache-2.0

import ActivityModel
package import FoundationEssentials
import HostAddresses

/// The address of a page that may be handed from laptop to laptop.
///
/// Browsers parse addresses more leniently than RFC 3986. For example, browsers accept a backslash
/// instead of a slash, and octal numbers in hosts. An address is refused if a browser and this
/// program could read different hosts from it.
package struct WebAddress: Hashable, Sendable {
    /// The reason why an address is not handed over.
    package struct Refusal: Error, Hashable {
        /// The kind of reason. The browser's extension has a text for each kind.
        package let code: String
        /// The reason in English.
        package let reason: String

        package static let tooLong = Self(
            code: "address-too-long", reason: "the page's address has more than \(maximumLength) bytes")
        package static let notWeb = Self(code: "not-web", reason: "only pages of http and https are handed over")
        static let userInformation = Self(
            code: "user-in-address", reason: "the page's address has a user name or a password in it")
        static let thisMachine = Self(code: "this-computer", reason: "the page is this computer's own")
        static let unclear = Self(code: "address-unclear", reason: "the page's address cannot be read")
    }

    /// The maximum length in bytes, which is the limit of the protocol
    /// (`Documentation/Protocol/Session.md`).
    static let maximumLength = ActivityState.maximumWebpageLength

    /// The address, in the characters that RFC 3986 allows.
    package let url: URL

    /// Parses the address of a page that may leave this laptop, or that arrived earlier.
    ///
    /// - Parameter text: The address as a browser gives it.
    package init(_ text: String) throws(Refusal) { try self.init(text, refusing: nil) }

    /// Parses the address of a page that another laptop hands over. Refuses this computer's own
    /// names and addresses, so that the other laptop cannot open pages of servers on this computer.
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

    /// Returns the host without its port, or nil if the host is invalid or can be read in two ways.
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
        // Browsers parse a host that ends in a number as an IPv4 address. Accept only the plain
        // form.
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

    /// The names of the local host on every computer, including those in the `/etc/hosts` of
    /// distributions.
    private static let loopbackNames: Set = [
        "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
        "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
    ]

    private static func isLoopback(_ host: String) -> Bool {
        if loopbackNames.contains(host) || host.hasSuffix(".localhost") { return true }
        // Treat an unreadable address in brackets as this computer's own, so that it is refused.
        guard let address = HostAddress(host) else { return host.hasPrefix("[") }
        return address.isLoopback
    }

    /// Returns the address with percent-encoding for characters that RFC 3986 forbids in the path
    /// and the query. Browsers leave some of these characters as they are.
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
