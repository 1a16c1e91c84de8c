// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import DesktopEntries

/// What a program may say of itself, and what it may do.
///
/// A sandboxed one is whom its sandbox says it is, with what is its own or was granted to it. The
/// others are the user's own: they may say what they like, as `baton` does.
public struct CallerPermissions: Sendable {
    private let grants: GrantStore
    private let declaration: @Sendable (_ applicationID: String) -> ActivityClaim?

    /// A policy.
    ///
    /// - Parameters:
    ///   - grants: What the user has granted sandboxed apps.
    ///   - declaration: Reads what the installed desktop entry of an application claims; nil when
    ///     there is none.
    public init(grants: GrantStore, declaration: @escaping @Sendable (_ applicationID: String) -> ActivityClaim?) {
        self.grants = grants
        self.declaration = declaration
    }

    /// Whose apps may continue what a program publishes.
    ///
    /// - Parameters:
    ///   - claimed: The team that the program says; nil when it says none.
    ///   - caller: The program.
    /// - Throws: ``BatonError/Code/notAllowed`` for a sandboxed app that claims another team
    ///   than its own: its entry's where that was granted, and else none.
    public func team(claimed: String?, by caller: Caller) throws -> String {
        let declared = caller.applicationID.flatMap(declaration)?.team ?? ""
        guard caller.isSandboxed else { return claimed ?? declared }
        let own = entitlement(of: caller).team(declared: declared)
        guard let claimed, claimed != own else { return own }
        throw BatonError(
            .notAllowed,
            "team: \(name(of: caller)) is sandboxed, and "
                + (claimed == declared
                    ? "nobody has allowed it its team \"\(declared)\" yet; \(howToAllow(caller))"
                    : own.isEmpty ? "has no team" : "of the team \"\(own)\""))
    }

    /// Checks that a program may publish activities of a type, or keep them.
    ///
    /// - Throws: ``BatonError/Code/notAllowed`` for a sandboxed app, and a type that is neither
    ///   its own nor granted to it.
    public func check(type: String, team: String, by caller: Caller) throws {
        guard !permits(type: type, team: team, to: caller) else { return }
        guard let id = caller.applicationID else {
            throw BatonError(
                .notAllowed,
                "type: this program is in a sandbox that says nobody's name, and has no activities of its own")
        }
        throw BatonError(
            .notAllowed,
            "type: \(id) is sandboxed, and \"\(type)\" is not its own: its desktop entry has to declare it, and the user "
                + "to allow it; \(howToAllow(caller))")
    }

    /// Whether activities of a type and a team may be given to a program, and taken from it.
    public func permits(type: String, team: String, to caller: Caller) -> Bool {
        !caller.isSandboxed || entitlement(of: caller).permits(type, team: team)
    }

    /// What a sandboxed app may continue by itself: what it declares, as far as that is its own or
    /// granted; nil for a program that may continue everything.
    public func continuable(by caller: Caller) -> ActivityClaim? {
        guard caller.isSandboxed else { return nil }
        return entitlement(of: caller).part(of: caller.applicationID.flatMap(declaration) ?? ActivityClaim())
    }

    private func entitlement(of caller: Caller) -> Entitlement { grants.entitlement(of: caller.sandboxedApp) }

    private func howToAllow(_ caller: Caller) -> String {
        "answer the notification that asks, or run 'baton grants allow \(name(of: caller))'"
    }

    /// Which application a program is.
    ///
    /// - Parameters:
    ///   - claimed: What the program says; nil when it says nothing.
    ///   - caller: The program.
    /// - Returns: Nil when nobody knows.
    /// - Throws: ``BatonError/Code/notAllowed`` for a sandboxed app that claims to be another.
    public func applicationID(claimed: String?, by caller: Caller) throws -> String? {
        guard let claimed else { return caller.applicationID }
        if caller.isSandboxed, claimed != caller.applicationID {
            throw BatonError(.notAllowed, "application: \(name(of: caller)) is sandboxed, and cannot be another")
        }
        guard ApplicationID.isValid(claimed) else { throw ApplicationID.invalid }
        return claimed
    }

    /// Whether a program may manage the device: its circle, and what the user has decided.
    public func mayManage(_ caller: Caller) -> Bool { !caller.isSandboxed }

    private func name(of caller: Caller) -> String { caller.applicationID ?? "this program" }
}
