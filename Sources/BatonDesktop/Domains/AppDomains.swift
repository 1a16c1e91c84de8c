// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import DesktopEntries

/// What one app's desktop entry says of domains.
struct AppDomains: Hashable, Sendable {
    /// One element of `X-Baton-AssociatedDomains`.
    struct Element: Hashable, Sendable {
        let text: String
        let claim: Result<DomainClaim, DomainClaim.Refusal>
    }

    /// The app.
    let application: String
    /// What domains call it; nil for an app without a team, which none approves.
    let identifier: AppIdentifier?
    /// What it says, in its order.
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

    /// Its claims that count.
    var claims: [DomainClaim] { identifier == nil ? [] : elements.compactMap { try? $0.claim.get() } }
}
