// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// Programs that speak for apps which do not know Baton.
extension BatonBusClient {
    /// The adapters that are installed, by id.
    public func adapters() async throws -> [AdapterStatus] {
        let reply = try await call(BatonBusName.adapters, "List")
        return try (reply.first?.arrayValue).orInvalid("reply", "adapters").map { try AdapterStatus(bus: $0) }
    }

    /// Has an adapter of the user's own count, as its desktop entry is now.
    public func allowAdapter(_ adapter: String) async throws {
        try await call(BatonBusName.adapters, "Allow", [.string(adapter)])
    }

    /// Has an adapter of the user's own not count.
    public func refuseAdapter(_ adapter: String) async throws {
        try await call(BatonBusName.adapters, "Refuse", [.string(adapter)])
    }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: Its id; nil for the switch of all.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        try await call(BatonBusName.adapters, "Switch", [.string(adapter ?? ""), .bool(isOn)])
    }
}
