// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import UserActivity

/// The tool's way to the daemon.
enum Daemon {
    /// Runs a closure with a connection, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - team: Whose apps may continue what is published; nil leaves that to the daemon.
    ///   - delivery: Where the delegates of activities are called.
    ///   - reattaches: Whether what is published outlives the daemon.
    ///   - body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that there is no session bus.
    static func connected<Result: Sendable>(
        team: String? = nil, delivery: CallbackDelivery = .immediate, reattaches: Bool = false,
        _ body: @Sendable (BatonConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await BatonConnection.open(
            delivery: delivery, reattaches: reattaches, team: team, warn: Output.warn)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Why others do not see now what is published here; nil when nothing is known to prevent it.
    static func silence(_ bus: BatonBusClient) async -> String? {
        if let obstacle = await obstacle(bus) { return obstacle }
        guard let status = try? await bus.status(), let pause = PauseText.pause(of: status) else { return nil }
        return "Baton is paused \(pause); 'baton resume' ends that"
    }

    /// Why nothing can be seen or be offered here at all, whatever others do; nil when it can.
    static func obstacle(_ bus: BatonBusClient) async -> String? {
        guard let status = try? await bus.status(), status.circle == nil else { return nil }
        return noCircle(status)
    }

    /// Why this device is in no circle, and what to do, in the daemon's words; one of an older
    /// version has none.
    static func noCircle(_ status: DaemonStatus) -> String {
        status.withoutCircle ?? "this device is in no circle; see 'baton status'"
    }
}
