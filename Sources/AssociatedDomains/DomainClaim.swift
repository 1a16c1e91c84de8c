// SPDX-License-Identifier: Apache-2.0

/// What an app says of itself in an element of `X-Baton-AssociatedDomains`: that it continues the
/// pages of a domain.
///
/// Source: Apple's Handoff Programming Guide, "Web Browser-to-Native App Handoff".
public struct DomainClaim: Hashable, Sendable {
    /// The domain that is asked whether it agrees.
    public let domain: DomainName
    /// Whether it is about the domain's subdomains, and not about the domain itself:
    /// `*.example.com`.
    public let isForSubdomains: Bool

    /// How many claims of an app count; those after it are refused.
    public static let maximumOfAnApp = 30
    /// The one service that there is.
    public static let service = "activitycontinuation"

    /// Why a claim does not count.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// In one line.
        public let description: String

        /// It is for another service than `activitycontinuation`.
        public static let otherService = Self(description: "it is for another service than \(service), and passed over")
        /// It names no domain.
        public static let notADomain = Self(
            description: "it names no domain: write activitycontinuation:example.com or "
                + "activitycontinuation:*.example.com, other scripts as in DNS (xn--…)")
        /// The app has more claims than count.
        public static let tooMany = Self(description: "only \(maximumOfAnApp) claims of an app count")
    }

    /// Reads a claim: `activitycontinuation:example.com`, or the domain alone; `*.` before it for
    /// its subdomains.
    ///
    /// - Throws: ``Refusal``.
    public init(_ text: String) throws(Refusal) {
        var rest = text[...]
        if let colon = text.firstIndex(of: ":") {
            guard text[..<colon] == Self.service else { throw .otherService }
            rest = text[text.index(after: colon)...]
        }
        isForSubdomains = rest.hasPrefix("*.")
        guard let domain = DomainName(isForSubdomains ? rest.dropFirst(2) : rest) else { throw .notADomain }
        self.domain = domain
    }

    /// Whether it is about the pages of a host. `*.example.com` is about `www.example.com`, and
    /// about `a.b.example.com`, but not about `example.com`.
    public func covers(_ host: DomainName) -> Bool { isForSubdomains ? host.isBelow(domain) : host == domain }
}
