// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What the user allows sandboxed apps.
extension BatonBusClient {
    /// What sandboxed apps ask for, may do and may not, by app.
    public func grants() async throws -> [AppGrant] {
        let reply = try await call(BatonBusName.grants, "List")
        return try (reply.first?.arrayValue).orInvalid("reply", "grants").map { try AppGrant(bus: $0) }
    }

    /// Allows an app types of a team that it declares; without types the team alone, for its own
    /// activities.
    public func allow(_ grant: AppGrant) async throws { try await answer("Allow", grant) }

    /// Refuses an app types of a team, or takes them back; without types all, and the team.
    public func refuse(_ grant: AppGrant) async throws { try await answer("Refuse", grant) }

    private func answer(_ member: String, _ grant: AppGrant) async throws {
        try await call(
            BatonBusName.grants, member,
            [.string(grant.sandbox), .string(grant.application), .string(grant.team), .strings(grant.types)])
    }
}
