// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The domains that apps here claim.
extension BatonBusClient {
    /// What apps claim, by app, and what the domains say.
    public func domains() async throws -> [DomainStatus] {
        try Self.list(try await call(BatonBusName.domains, "List"))
    }

    /// Asks a domain that an app here claims, now; returns once it has answered, or not.
    public func checkDomain(_ domain: String) async throws -> [DomainStatus] {
        try Self.list(try await call(BatonBusName.domains, "Check", [.string(domain)]))
    }

    private static func list(_ reply: [DBusValue]) throws -> [DomainStatus] {
        try (reply.first?.arrayValue).orInvalid("reply", "domains").map { try DomainStatus(bus: $0) }
    }
}
