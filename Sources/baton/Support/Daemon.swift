// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus

/// The tool's way to the daemon.
enum Daemon {
    /// Runs a closure with a connection, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - team: Whose apps may continue what is published; nil leaves that to the daemon.
    ///   - body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that there is no session bus.
    static func connected<Result: Sendable>(
        team: String? = nil, _ body: @Sendable (BatonConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await BatonConnection.open(
            reattaches: false, team: team, warn: { Output.error.line("baton: warning: \($0)") })
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Why nothing can be seen or be offered here at all, whatever others do; nil when it can.
    static func obstacle(_ bus: BatonBusClient) async -> String? {
        guard let status = try? await bus.status(), status.circle == nil else { return nil }
        return "this device is in no circle; run 'baton pair' on it and on another"
    }
}
