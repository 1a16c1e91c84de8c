// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// An app's claim to continue the pages of a domain: one element of `X-Baton-AssociatedDomains`.
///
/// Source: Apple's Handoff Programming Guide, "Web Browser-to-Native App Handoff".
public struct DomainClaim: Hashable, Sendable {
    /// The domain that must approve the app.
    public let domain: DomainName
    /// Whether the claim is about the domain's subdomains only, as in `*.example.com`.
    public let isForSubdomains: Bool

    /// The maximum number of claims of one app. Further claims are rejected.
    public static let maximumOfAnApp = 30
    /// The name of the only supported service.
    public static let service = "activitycontinuation"

    /// The reason why a claim is ignored.
    public enum Refusal: Error, Hashable, Sendable {
        /// The claim is for another service than `activitycontinuation`.
        case otherService
        /// The claim names no domain.
        case notADomain
        /// The app has too many claims.
        case tooMany

        /// The reason for people.
        public var reason: Reason {
            switch self {
            case .otherService: Reason(.claimOfOtherService)
            case .notADomain: Reason(.claimWithoutDomain)
            case .tooMany: Reason(.tooManyClaims, ["limit": .count(maximumOfAnApp)])
            }
        }
    }

    /// Reads a claim: `activitycontinuation:example.com`, or only the domain.
    ///
    /// `*.` before the domain means its subdomains.
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

    /// Returns whether the claim is about the pages of a host.
    ///
    /// `*.example.com` covers `www.example.com` and `a.b.example.com`, but not `example.com`.
    public func covers(_ host: DomainName) -> Bool { isForSubdomains ? host.isBelow(domain) : host == domain }
}
