// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// What the user has said about sandboxed apps that ask for activities which are not their own: a
/// value, with its limits.
///
/// Types and teams are granted as an app declares them, one by one; there are no patterns.
struct Grants: Hashable, Sendable {
    /// The most apps about which something was said.
    static let maximumApps = 256
    /// The most that is kept about one app, as ``Answers/size`` has it.
    static let maximumSize = 64 << 10

    /// What was said about one app: types, by their team.
    struct Answers: Hashable, Codable, Sendable {
        var granted: [String: Set<String>] = [:]
        var refused: [String: Set<String>] = [:]
        /// The user was asked, and did not answer.
        var dismissed: [String: Set<String>] = [:]

        var isEmpty: Bool { granted.isEmpty && refused.isEmpty && dismissed.isEmpty }

        /// How many bytes all teams and types take in the file at most: each that has to be escaped
        /// takes two, and what stands around a name no more than eight.
        var size: Int {
            [granted, refused, dismissed].joined().flatMap { [$0.key] + $0.value }.reduce(0) {
                $0 + 2 * $1.utf8.count + 8
            }
        }
    }

    /// Why something more cannot be remembered.
    struct Full: Error {}

    private(set) var answers: [SandboxedApp: Answers] = [:]

    /// Nothing was said.
    init() {}

    /// What an app may do.
    ///
    /// - Parameter app: Nil for a sandbox without a name.
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
        var new = answers[app] ?? Answers()
        new.granted[claim.team, default: []].formUnion(claim.types)
        new.refused[claim.team] = new.refused[claim.team]?.subtracting(claim.types).nonEmpty
        new.dismissed[claim.team] = nil
        guard keep(new, of: app) else { throw Full() }
    }

    /// Refuses an app types of a team, be they granted or not. With all types that were granted, or
    /// without any, the team is taken back too.
    ///
    /// What is taken back is so always; that it was refused is remembered as far as there is room.
    mutating func refuse(_ claim: ActivityClaim, to app: SandboxedApp) {
        var new = answers[app] ?? Answers()
        let granted = new.granted[claim.team] ?? []
        let isAll = claim.types.isEmpty || !granted.isEmpty && granted.isSubset(of: claim.types)
        let refused = claim.types.isEmpty ? granted : claim.types
        new.granted[claim.team] = isAll ? nil : new.granted[claim.team]?.subtracting(refused)
        new.refused[claim.team, default: []].formUnion(refused)
        new.dismissed[claim.team] = nil
        // No more is granted than before, and that had room.
        _ = keep(new, of: app)
    }

    /// Notes that the user was asked about a claim, and did not answer; as far as there is room.
    mutating func dismiss(_ claim: ActivityClaim, of app: SandboxedApp) {
        var new = answers[app] ?? Answers()
        new.dismissed[claim.team, default: []].formUnion(claim.types)
        _ = keep(new, of: app)
    }

    /// Forgets an app, which has nothing granted then.
    mutating func forget(_ app: SandboxedApp) { answers[app] = nil }

    /// Keeps what was said about an app, instead of what is kept already. Where there is no room
    /// for all, what only spares the user a question is forgotten.
    ///
    /// - Returns: False, and nothing has changed, where there is no room for what is granted.
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
    /// What was not answered; nil when all was. The team was answered with the first of its types.
    fileprivate func without(_ answered: [String: Set<String>]?) -> ActivityClaim? {
        guard let known = answered?[team] else { return self }
        return types.subtracting(known).nonEmpty.map { ActivityClaim(team: team, types: $0) }
    }
}

extension Set {
    fileprivate var nonEmpty: Set? { isEmpty ? nil : self }
}
