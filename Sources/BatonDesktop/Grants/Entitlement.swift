// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// What a sandboxed app may publish and continue: its own activities, and those that the user has
/// granted it.
///
/// All that asks whether a sandboxed app may do something asks here.
struct Entitlement: Hashable, Sendable {
    /// The app; nil for a sandbox without a name, to which nothing is its own.
    let app: SandboxedApp?
    /// The types that were granted, by their team. A team without types is granted too: for the
    /// app's own.
    let granted: [String: Set<String>]

    /// Whether the app may publish, and continue, activities of a type for a team.
    func permits(_ type: String, team: String) -> Bool {
        permits(team: team) && (app?.owns(type: type) == true || granted[team]?.contains(type) == true)
    }

    /// The team that an app has which declares one: none, until it is granted.
    func team(declared: String) -> String { permits(team: declared) ? declared : "" }

    /// What of a claim the app may do without asking.
    func part(of claim: ActivityClaim) -> ActivityClaim {
        let team = team(declared: claim.team)
        return ActivityClaim(team: team, types: claim.types.filter { permits($0, team: team) })
    }

    /// What of a claim needs the user's leave: the types that are not the app's own, for the team;
    /// without types for the team alone. Nil when nothing does.
    func beyond(_ claim: ActivityClaim) -> ActivityClaim? {
        let types = claim.types.filter {
            app?.owns(type: $0) != true && granted[claim.team]?.contains($0) != true
        }
        return types.isEmpty && permits(team: claim.team) ? nil : ActivityClaim(team: claim.team, types: types)
    }

    private func permits(team: String) -> Bool { team.isEmpty || granted[team] != nil }
}
