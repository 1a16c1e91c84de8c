// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains

/// The options on the command line. Only tests use them, with a server of their own.
///
/// `--authority FILE` trusts only the certificates in a file. `--connect DOMAIN=ADDRESS:PORT`
/// connects to this address for a domain.
struct Options: Hashable {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    /// The server to ask about a domain.
    struct Place: Hashable {
        var address: String
        var port: Int
    }

    /// The file of trusted certificates, or `nil` for the system's own.
    var authority: String?
    /// The servers of the domains that are not looked up in DNS.
    var places: [DomainName: Place] = [:]

    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Mistake(description: "\(option) wants a value") }
            switch option {
            case "--authority": authority = value
            case "--connect":
                guard let (domain, place) = Self.place(value) else {
                    throw Mistake(description: "--connect wants DOMAIN=ADDRESS:PORT")
                }
                places[domain] = place
            default: throw Mistake(description: "there is no option \(option)")
            }
        }
    }

    private static func place(_ text: String) -> (DomainName, Place)? {
        guard let equals = text.firstIndex(of: "="), let domain = DomainName(text[..<equals]),
            let colon = text.lastIndex(of: ":"), equals < colon,
            let port = Int(text[text.index(after: colon)...]), (1...65_535).contains(port)
        else { return nil }
        return (domain, Place(address: String(text[text.index(after: equals)..<colon]), port: port))
    }
}
