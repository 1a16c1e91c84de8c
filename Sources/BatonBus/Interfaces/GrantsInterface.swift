// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Grants`: the user's permissions for sandboxed apps.
package enum GrantsInterface: BusInterface {
    static let name = BatonBusName.grants
    package static let list: BusCall<Void, [AppGrant]> = BusCall(
        name, "List", returns: .list("grants"), needs: .managing)
    /// Answers with the present grants. Sends the client the grants after each change until the
    /// client leaves.
    package static let follow: BusCall<Void, [AppGrant]> = BusCall(
        name, "Follow", returns: .list("grants"), needs: .managing)
    /// Allows types or a team, whatever the present state of the grant.
    package static let allow = BusCall(name, "Allow", takes: answer, needs: .managing)
    /// Refuses types or a team, whatever the present state of the grant.
    package static let refuse = BusCall(name, "Refuse", takes: answer, needs: .managing)

    static let methods: [any BusMethod] = [list, follow, allow, refuse]
    static let signals = [signal("Changed", ["grants": "aa{sv}"])]

    private static let answer = BusArguments.three(
        .string("sandbox"), .string("application"), .both(.string("team"), .strings("types"))
    ).map(
        { AppGrant(sandbox: $0, application: $1, state: .pending, team: $2.0, types: $2.1) },
        { ($0.sandbox, $0.application, ($0.team, $0.types)) })
}

/// The user's permissions for sandboxed apps.
extension BatonBusClient {
    /// Returns the pending, granted and refused requests of sandboxed apps, ordered by app.
    public func grants() async throws -> [AppGrant] { try await call(GrantsInterface.list) }

    /// Returns the requests as ``grants()`` does, then again after each change. The stream finishes
    /// when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func grantChanges() async throws -> AsyncStream<[AppGrant]> {
        let changes = try await events(of: BatonBusName.grants, member: "Changed") {
            $0.arguments.first?.arrayValue?.compactMap { try? AppGrant(bus: $0) }
        }
        return Self.following(try await call(GrantsInterface.follow), changes)
    }

    /// Allows an app to use types of a team that it declares. If the grant has no types, allows the
    /// app to use only its own activities in the team.
    public func allow(_ grant: AppGrant) async throws { try await call(GrantsInterface.allow, grant) }

    /// Refuses or revokes an app's use of types of a team. If the grant has no types, refuses all
    /// types and the team.
    public func refuse(_ grant: AppGrant) async throws { try await call(GrantsInterface.refuse, grant) }
}

extension AppGrant: BusRecord {
    static var blank: Self { Self(sandbox: "", application: "", state: .pending) }
    static let fields: [BusField<Self>] = [
        .text("sandbox", \.sandbox), .text("application", \.application), .word("state", \.state),
        .text("team", \.team, isRequired: false), .texts("types", \.types),
    ]
}
