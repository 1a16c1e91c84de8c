// SPDX-License-Identifier: Apache-2.0

import Baton

/// The tool's way to the daemon.
enum Daemon {
    /// Runs a closure with a connection, which is closed afterwards.
    ///
    /// - Parameter body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that there is no session bus.
    static func connected<Result: Sendable>(
        _ body: @Sendable (BatonConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await BatonConnection.open(reattaches: false, warn: { _ in })
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
