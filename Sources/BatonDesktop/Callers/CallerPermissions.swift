// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import DesktopEntries
import Diagnosis

/// The policy for the claims and permissions of calling programs.
///
/// A sandboxed app has the identity that its sandbox states, and may use its own activities and
/// those granted to it. All other programs are the user's own and may claim anything, as `baton`
/// does.
public struct CallerPermissions: Sendable {
    private let grants: GrantStore
    private let declaration: @Sendable (_ applicationID: String) -> ActivityClaim?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - grants: The user's answers about sandboxed apps.
    ///   - declaration: Called to read the claim in an application's installed desktop entry.
    ///     Returns nil if the application has no such entry.
    public init(grants: GrantStore, declaration: @escaping @Sendable (_ applicationID: String) -> ActivityClaim?) {
        self.grants = grants
        self.declaration = declaration
    }

    /// Returns the team of a program's activities. Only apps of the same team may continue them.
    ///
    /// - Parameters:
    ///   - claimed: The team that the program states, or nil if it states none.
    ///   - caller: The program.
    /// - Throws: ``BatonError/Code/notAllowed`` if a sandboxed app claims another team than its
    ///   own. An app's own team is the one in its desktop entry, if the user has granted that team,
    ///   and otherwise none.
    public func team(claimed: String?, by caller: Caller) throws -> String {
        let declared = caller.applicationID.flatMap(declaration)?.team ?? ""
        guard caller.isSandboxed else { return claimed ?? declared }
        let own = entitlement(of: caller).team(declared: declared)
        guard let claimed, claimed != own else { return own }
        throw refusal(claimed == declared ? .teamUnallowed : .teamForeign, of: caller, ["team": .text(claimed)])
    }

    /// Checks that a program may publish or save activities of a type.
    ///
    /// - Throws: ``BatonError/Code/notAllowed`` if the app is sandboxed and the type is neither its
    ///   own nor granted to it.
    public func check(type: String, team: String, by caller: Caller) throws {
        guard !permits(type: type, team: team, to: caller) else { return }
        throw refusal(.typeUnallowed, of: caller, ["type": .text(type)])
    }

    /// Returns whether a program may receive and publish activities of a type and a team.
    public func permits(type: String, team: String, to caller: Caller) -> Bool {
        !caller.isSandboxed || entitlement(of: caller).permits(type, team: team)
    }

    /// Returns the claimed activities that a program may continue without asking, or nil for no
    /// limit. Only sandboxed apps are limited.
    public func continuable(by caller: Caller) -> ActivityClaim? {
        guard caller.isSandboxed else { return nil }
        return entitlement(of: caller).part(of: caller.applicationID.flatMap(declaration) ?? ActivityClaim())
    }

    private func entitlement(of caller: Caller) -> Entitlement { grants.entitlement(of: caller.sandboxedApp) }

    /// Returns the error for a sandboxed app. If the sandbox does not state the app's id, the error
    /// says only that.
    private func refusal(
        _ failure: FailureCode, of caller: Caller, _ values: [String: Reason.Value] = [:]
    ) -> BatonError {
        guard let app = caller.applicationID else { return BatonError(.notAllowed, .sandboxUnnamed) }
        return BatonError(.notAllowed, Reason(failure, values).with("app", .text(app)))
    }

    /// Returns the application id of a program.
    ///
    /// - Parameters:
    ///   - claimed: The id that the program states, or nil if it states none.
    ///   - caller: The program.
    /// - Returns: The id, or nil if it is unknown.
    /// - Throws: ``BatonError/Code/notAllowed`` if a sandboxed app claims to be another one.
    public func applicationID(claimed: String?, by caller: Caller) throws -> String? {
        guard let claimed else { return caller.applicationID }
        if caller.isSandboxed, claimed != caller.applicationID {
            throw refusal(.appForeign, of: caller)
        }
        guard ApplicationID.isValid(claimed) else { throw ApplicationID.invalid }
        return claimed
    }

    /// Returns whether a program may manage the device: its circle and the user's settings.
    public func mayManage(_ caller: Caller) -> Bool { !caller.isSandboxed }
}
