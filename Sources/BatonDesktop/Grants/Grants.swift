// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// What the user has said about sandboxed apps that ask for activities which are not their own: a value, with its limits.
///
/// Types and teams are granted as an app declares them, one by one; there are no patterns.
struct Grants: Hashable, Sendable {
    /// The most apps about which something was said.
    static let maximumApps = 256
    /// The most teams of one app.
    static let maximumTeams = 16
    /// The most types of one app for one team; an entry declares fewer.
    static let maximumTypes = 1_024

    /// What was said about one app: types, by their team.
    struct Answers: Hashable, Codable, Sendable {
        var granted: [String: Set<String>] = [:]
        var refused: [String: Set<String>] = [:]
        /// The user was asked, and did not answer.
        var dismissed: [String: Set<String>] = [:]

        var isEmpty: Bool { granted.isEmpty && refused.isEmpty && dismissed.isEmpty }
    }

    /// Why something more cannot be remembered.
    struct Full: Error {}

    private(set) var answers: [SandboxedApp: Answers] = [:]

    /// Nothing was said.
    init() {}

    /// What was written before.
    ///
    /// - Throws: ``Full``.
    init(_ answers: [SandboxedApp: Answers]) throws {
        guard answers.count <= Self.maximumApps, answers.values.allSatisfy(Self.fits) else { throw Full() }
        self.answers = answers.filter { !$0.value.isEmpty }
    }

    /// What an app may do.
    ///
    /// - Parameter app: nil for a sandbox without a name.
    func entitlement(of app: SandboxedApp?) -> Entitlement {
        Entitlement(app: app, granted: app.flatMap { answers[$0]?.granted } ?? [:])
    }

    /// What of an app's claim has yet to be granted or refused; nil when nothing has.
    func pending(_ claim: ActivityClaim, of app: SandboxedApp) -> ActivityClaim? {
        entitlement(of: app).beyond(claim)?.without(answers[app]?.refused)
    }

    /// What of an app's claim the user has yet to be asked about; nil when nothing is.
    func unasked(_ claim: ActivityClaim, of app: SandboxedApp) -> ActivityClaim? {
        pending(claim, of: app)?.without(answers[app]?.dismissed)
    }

    /// Grants an app a team and types of it.
    ///
    /// - Throws: ``Full``; nothing has changed then.
    mutating func allow(_ claim: ActivityClaim, to app: SandboxedApp) throws {
        try change(app) { answers in
            answers.granted[claim.team, default: []].formUnion(claim.types)
            answers.refused[claim.team] = answers.refused[claim.team]?.subtracting(claim.types).nonEmpty
            answers.dismissed[claim.team] = nil
        }
    }

    /// Refuses an app types of a team, be they granted or not. With all types that were granted, or without any, the team is taken back too.
    ///
    /// - Throws: ``Full``; nothing has changed then.
    mutating func refuse(_ claim: ActivityClaim, to app: SandboxedApp) throws {
        try change(app) { answers in
            let granted = answers.granted[claim.team] ?? []
            let isAll = claim.types.isEmpty || !granted.isEmpty && granted.isSubset(of: claim.types)
            let refused = claim.types.isEmpty ? granted : claim.types
            answers.granted[claim.team] = isAll ? nil : answers.granted[claim.team]?.subtracting(refused)
            answers.refused[claim.team, default: []].formUnion(refused)
            answers.dismissed[claim.team] = nil
        }
    }

    /// Notes that the user was asked about a claim, and did not answer.
    ///
    /// - Throws: ``Full``; nothing has changed then.
    mutating func dismiss(_ claim: ActivityClaim, of app: SandboxedApp) throws {
        try change(app) { $0.dismissed[claim.team, default: []].formUnion(claim.types) }
    }

    /// Forgets an app, which has nothing granted then.
    mutating func forget(_ app: SandboxedApp) { answers[app] = nil }

    private mutating func change(_ app: SandboxedApp, _ body: (inout Answers) -> Void) throws {
        var new = answers[app] ?? Answers()
        body(&new)
        guard answers[app] != nil || answers.count < Self.maximumApps, Self.fits(new) else { throw Full() }
        answers[app] = new.isEmpty ? nil : new
    }

    private static func fits(_ answers: Answers) -> Bool {
        [answers.granted, answers.refused, answers.dismissed].allSatisfy { teams in
            teams.count <= maximumTeams && teams.values.allSatisfy { $0.count <= maximumTypes }
        }
    }
}

extension ActivityClaim {
    /// What was not answered; nil when all was. The team was answered with the first of its types.
    fileprivate func without(_ answered: [String: Set<String>]?) -> ActivityClaim? {
        guard let known = answered?[team] else { return self }
        return types.subtracting(known).nonEmpty.map { ActivityClaim(team: team, types: $0) }
    }
}

extension Set {
    fileprivate var nonEmpty: Set? { isEmpty ? nil : self }
}
