// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import DesktopEntries

/// The domains that one app's desktop entry claims.
struct AppDomains: Hashable, Sendable {
    /// One element of `X-Baton-AssociatedDomains`.
    struct Element: Hashable, Sendable {
        let text: String
        let claim: Result<DomainClaim, DomainClaim.Refusal>
    }

    let application: String
    /// The app's identifier in the files of domains, or nil for an app without a team. No domain
    /// can approve such an app.
    let identifier: AppIdentifier?
    /// The elements in the order of the entry.
    let elements: [Element]

    init(_ entry: DesktopEntry) {
        application = entry.identifier
        identifier = AppIdentifier(team: entry.team, app: entry.identifier)
        var counted = 0
        elements = entry.associatedDomains.map { text in
            var claim = Result { () throws(DomainClaim.Refusal) in try DomainClaim(text) }
            if case .success = claim {
                counted += 1
                if counted > DomainClaim.maximumOfAnApp { claim = .failure(.tooMany) }
            }
            return Element(text: text, claim: claim)
        }
    }

    /// The valid claims, or none for an app without a team.
    var claims: [DomainClaim] { identifier == nil ? [] : elements.compactMap { try? $0.claim.get() } }
}
