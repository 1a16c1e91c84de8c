// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis

/// Keeps the claims and permissions of the installed apps.
///
/// The keeper also keeps the questions to the user about claims of sandboxed apps.
struct GrantKeeper: Sendable {
    private let store: GrantStore
    private var installed = DesktopEntryIndex()
    private var questions = GrantQuestions()

    init(store: GrantStore) { self.store = store }

    /// Replaces the installed apps. A sandboxed app without a valid id cannot be granted anything,
    /// so its claims are dropped.
    mutating func install(_ index: DesktopEntryIndex) {
        installed = index.map { entry in
            guard let app = entry.sandboxedApp, !ApplicationID.isValid(app.identifier) else {
                return entry
            }
            return entry.claiming(ActivityClaim())
        }
    }

    /// The installed apps with all their claims.
    var claimed: DesktopEntryIndex { installed }

    /// The installed apps. Sandboxed apps claim only their own activities and the activities
    /// granted to them.
    var entitled: DesktopEntryIndex {
        let grants = store.grants
        return installed.map { entry in
            guard let app = entry.sandboxedApp else { return entry }
            return entry.claiming(grants.entitlement(of: app).part(of: entry.claim))
        }
    }

    /// Returns whether an app may have activities of a type and a team. An app outside of sandboxes
    /// always may.
    func permits(_ type: String, team: String, to entry: DesktopEntry) -> Bool {
        guard let app = entry.sandboxedApp else { return true }
        return store.entitlement(of: app).permits(type, team: team)
    }

    /// Returns the sandboxed app with an id if the app declares a type for a team, or nil if not.
    /// Call this function only for an app that may not have the type yet.
    func missing(_ type: String, team: String, _ identifier: String) -> SandboxedApp? {
        guard let entry = installed.entries[identifier], let app = entry.sandboxedApp,
            entry.claim.team == team, entry.claim.types.contains(type)
        else { return nil }
        return app
    }

    /// The finding about apps that wait for the user's answer, or nil if none does.
    var finding: Finding? {
        let grants = store.grants
        let pending = claims.count { app, claims in claims.contains { grants.pending($0, of: app) != nil } }
        guard pending > 0 else { return nil }
        return Finding(.grantsPending, ["count": .count(pending)], command: "baton grants")
    }

    /// The state of all requests, by app and team.
    var summaries: [AppGrant] {
        let (grants, claims) = (store.grants, claims)
        let apps = Set(claims.keys).union(grants.answers.keys).sorted { $0.description < $1.description }
        return apps.flatMap { app in
            let pending = (claims[app] ?? []).compactMap { grants.pending($0, of: app) }.map { ($0.team, $0.types) }
            return [
                (AppGrant.State.pending, pending), (.granted, Array(grants.answers[app]?.granted ?? [:])),
                (.refused, Array(grants.answers[app]?.refused ?? [:])),
            ].flatMap { state, teams in
                teams.sorted { $0.0 < $1.0 }.map { team, types in
                    AppGrant(
                        sandbox: app.sandbox.rawValue, application: app.identifier, state: state, team: team,
                        types: types.sorted())
                }
            }
        }
    }

    /// Grants activities that an app declares.
    ///
    /// - Throws: ``BatonError``.
    func allow(_ grant: AppGrant) throws {
        let app = try Self.app(grant)
        let wanted = ActivityClaim(team: grant.team, types: Set(grant.types))
        guard let claim = claims[app]?.first(where: { $0.team == grant.team }),
            wanted.types.isSubset(of: claim.types), !(wanted.team.isEmpty && wanted.types.isEmpty)
        else { throw Self.nothing(app) }
        try allow(wanted, to: app)
    }

    /// Refuses activities that an app declares, or revokes a grant.
    ///
    /// - Throws: ``BatonError``. A revocation takes effect even if it could not be saved.
    func refuse(_ grant: AppGrant) throws {
        let app = try Self.app(grant)
        let (claim, known) = (claims[app]?.first { $0.team == grant.team }, store.grants.answers[app])
        let all = (claim?.types.filter { !app.owns(type: $0) } ?? []).union(known?.granted[grant.team] ?? [])
        guard claim != nil || known?.granted[grant.team] != nil || known?.refused[grant.team] != nil,
            all.isSuperset(of: grant.types)
        else { throw Self.nothing(app) }
        let isGone = claims[app] == nil
        try store.change(isForLess: true) { grants in
            grants.refuse(
                ActivityClaim(team: grant.team, types: grant.types.isEmpty ? all : Set(grant.types)), to: app)
            if isGone, grants.entitlement(of: app).granted.isEmpty { grants.forget(app) }
        }
    }

    /// Returns the changes that show the open questions and remove the obsolete ones.
    ///
    /// - Parameters:
    ///   - isAskable: Whether the user can answer now. If not, no question is shown.
    ///   - hasWindow: Whether Baton's window is installed, where the user can answer, too.
    mutating func ask(isAskable: Bool, hasWindow: Bool, at uptime: Duration) -> [NotificationChange] {
        let grants = store.grants
        var unasked: [SandboxedApp: ActivityClaim] = [:]
        for (app, claims) in claims {
            unasked[app] = claims.lazy.compactMap { grants.unasked($0, of: app) }.first
        }
        let over = questions.update(unasked, at: uptime)
        guard isAskable else { return (over + questions.questions.map(\.key)).map { .remove($0) } }
        let shown = questions.questions.map { question in
            NotificationChange.show(
                GrantNotifications.notification(of: question.claim, question.app, hasWindow: hasWindow), question.key)
        }
        return over.map { .remove($0) } + shown
    }

    /// Carries out the user's answer to a question, or records that the user put it off.
    ///
    /// - Returns: Whether there was such a question.
    mutating func answered(_ key: NotificationKey, _ action: String?) throws -> Bool {
        guard let question = questions.take(key) else { return false }
        switch action {
        case GrantNotifications.allowAction: try allow(question.claim, to: question.app)
        case GrantNotifications.refuseAction:
            try store.change(isForLess: true) { $0.refuse(question.claim, to: question.app) }
        default: try store.change(isForLess: true) { $0.dismiss(question.claim, of: question.app) }
        }
        return true
    }

    private func allow(_ claim: ActivityClaim, to app: SandboxedApp) throws {
        let others = ActivityClaim(team: claim.team, types: claim.types.filter { !app.owns(type: $0) })
        try store.change(isForLess: false) { try $0.allow(others, to: app) }
    }

    /// The claims in the entries of each sandboxed app, one for each team.
    private var claims: [SandboxedApp: [ActivityClaim]] {
        var claims: [SandboxedApp: [String: Set<String>]] = [:]
        for entry in installed.entries.values {
            guard let app = entry.sandboxedApp, entry.claim != ActivityClaim() else { continue }
            claims[app, default: [:]][entry.claim.team, default: []].formUnion(entry.claim.types)
        }
        return claims.mapValues { teams in
            teams.sorted { $0.key < $1.key }.map { ActivityClaim(team: $0.key, types: $0.value) }
        }
    }

    private static func app(_ grant: AppGrant) throws -> SandboxedApp {
        guard let sandbox = SandboxedApp.Sandbox(rawValue: grant.sandbox) else {
            throw BatonError(argument: "sandbox", .argumentChoice, ["choices": .list(["flatpak", "snap", "unknown"])])
        }
        return SandboxedApp(sandbox, grant.application)
    }

    private static func nothing(_ app: SandboxedApp) -> BatonError {
        BatonError(.notFound, .grantUnknown, ["app": .text("\(app)")])
    }
}
