// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The user's answers about sandboxed apps that ask for activities of other apps. Their number and
/// size are limited.
///
/// Types and teams are granted one by one, as an app declares them. There are no patterns.
struct Grants: Hashable, Sendable {
    static let maximumApps = 256
    /// The maximum ``Answers/size`` for one app.
    static let maximumSize = 64 << 10

    /// The answers about one app: types, by team.
    struct Answers: Hashable, Codable, Sendable {
        var granted: [String: Set<String>] = [:]
        var refused: [String: Set<String>] = [:]
        /// The claims that the user was asked about and did not answer.
        var dismissed: [String: Set<String>] = [:]

        var isEmpty: Bool { granted.isEmpty && refused.isEmpty && dismissed.isEmpty }

        /// The maximum size that all teams and types can have in the file, in bytes. A byte takes
        /// two bytes if it is escaped, and the text around a name takes no more than eight.
        var size: Int {
            [granted, refused, dismissed].joined().flatMap { [$0.key] + $0.value }.reduce(0) {
                $0 + 2 * $1.utf8.count + 8
            }
        }
    }

    /// The error for a grant for which the file has no space.
    struct Full: Error {}

    private(set) var answers: [SandboxedApp: Answers] = [:]

    init() {}

    /// Returns the permissions of an app.
    ///
    /// - Parameter app: The app, or nil for a sandbox without a name.
    func entitlement(of app: SandboxedApp?) -> Entitlement {
        Entitlement(app: app, granted: app.flatMap { answers[$0]?.granted } ?? [:])
    }

    /// Returns the part of a claim that was neither granted nor refused, or nil if there is none.
    func pending(_ claim: ActivityClaim, of app: SandboxedApp) -> ActivityClaim? {
        entitlement(of: app).beyond(claim)?.without(answers[app]?.refused)
    }

    /// Returns the part of a claim that the user was not asked about yet, or nil.
    func unasked(_ claim: ActivityClaim, of app: SandboxedApp) -> ActivityClaim? {
        pending(claim, of: app)?.without(answers[app]?.dismissed)
    }

    /// Grants an app a team and types of that team.
    ///
    /// - Throws: ``Full``. After an error, nothing has changed.
    mutating func allow(_ claim: ActivityClaim, to app: SandboxedApp) throws {
        var new = answers[app] ?? Answers()
        new.granted[claim.team, default: []].formUnion(claim.types)
        new.refused[claim.team] = new.refused[claim.team]?.subtracting(claim.types).nonEmpty
        new.dismissed[claim.team] = nil
        guard keep(new, of: app) else { throw Full() }
    }

    /// Refuses an app types of a team, whether they were granted or not. The team is revoked too if
    /// all its granted types are refused, or the claim has no types.
    ///
    /// The grant, if there is one, is revoked in any case. The refusal is remembered only if there
    /// is space in the file.
    mutating func refuse(_ claim: ActivityClaim, to app: SandboxedApp) {
        var new = answers[app] ?? Answers()
        let granted = new.granted[claim.team] ?? []
        let isAll = claim.types.isEmpty || !granted.isEmpty && granted.isSubset(of: claim.types)
        let refused = claim.types.isEmpty ? granted : claim.types
        new.granted[claim.team] = isAll ? nil : new.granted[claim.team]?.subtracting(refused)
        new.refused[claim.team, default: []].formUnion(refused)
        new.dismissed[claim.team] = nil
        // The new answers grant no more than the previous ones, which fitted into the file.
        _ = keep(new, of: app)
    }

    /// Records that the user was asked about a claim and did not answer, if there is space in the
    /// file.
    mutating func dismiss(_ claim: ActivityClaim, of app: SandboxedApp) {
        var new = answers[app] ?? Answers()
        new.dismissed[claim.team, default: []].formUnion(claim.types)
        _ = keep(new, of: app)
    }

    mutating func forget(_ app: SandboxedApp) { answers[app] = nil }

    /// Replaces the answers about an app. If not everything fits into the file, drops the
    /// dismissals, and then the refusals, which only spare the user a question.
    ///
    /// - Returns: Whether the grants fitted. If not, nothing has changed.
    mutating func keep(_ new: Answers, of app: SandboxedApp) -> Bool {
        let isRoom = answers[app] != nil || answers.count < Self.maximumApps
        let choices = [
            new, Answers(granted: new.granted, refused: new.refused), Answers(granted: new.granted),
        ]
        guard let kept = choices.first(where: { $0.isEmpty || isRoom && $0.size <= Self.maximumSize }) else {
            return false
        }
        answers[app] = kept.isEmpty ? nil : kept
        return true
    }
}

extension ActivityClaim {
    /// Returns the unanswered part, or nil if all was answered. An answer about one of the team's
    /// types is also an answer about the team.
    fileprivate func without(_ answered: [String: Set<String>]?) -> ActivityClaim? {
        guard let known = answered?[team] else { return self }
        return types.subtracting(known).nonEmpty.map { ActivityClaim(team: team, types: $0) }
    }
}

extension Set {
    fileprivate var nonEmpty: Set? { isEmpty ? nil : self }
}
