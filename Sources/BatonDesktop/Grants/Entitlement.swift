// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The activities that a sandboxed app may publish and continue.
///
/// These are the app's own activities, and those that the user has granted it.
///
/// Every check of a sandboxed app's permissions uses this type.
struct Entitlement: Hashable, Sendable {
    /// The app, or nil for a sandbox without a name, which has no activities of its own.
    let app: SandboxedApp?
    /// The granted types, by team. A team without types is granted too, for the app's own types.
    let granted: [String: Set<String>]

    /// Returns whether the app may publish and continue activities of a type for a team.
    func permits(_ type: String, team: String) -> Bool {
        permits(team: team) && (app?.owns(type: type) == true || granted[team]?.contains(type) == true)
    }

    /// Returns an app's team: the declared one if it was granted, or else none.
    func team(declared: String) -> String { permits(team: declared) ? declared : "" }

    /// Returns the part of a claim that the app may use without asking.
    func part(of claim: ActivityClaim) -> ActivityClaim {
        let team = team(declared: claim.team)
        return ActivityClaim(team: team, types: claim.types.filter { permits($0, team: team) })
    }

    /// Returns the part of a claim that needs the user's permission, or nil if no part does. The
    /// part has the types that are not the app's own. Without types, it is about the team alone.
    func beyond(_ claim: ActivityClaim) -> ActivityClaim? {
        let types = claim.types.filter {
            app?.owns(type: $0) != true && granted[claim.team]?.contains($0) != true
        }
        return types.isEmpty && permits(team: claim.team) ? nil : ActivityClaim(team: claim.team, types: types)
    }

    private func permits(team: String) -> Bool { team.isEmpty || granted[team] != nil }
}
