// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis

/// The tool's way to the daemon.
enum Daemon {
    /// Runs a closure with a connection, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - options: What this program says of itself; without, that nothing outlives the daemon.
    ///   - body: What to do with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or that there is no session bus.
    static func connected<Result: Sendable>(
        as options: DaemonConnection.Options = .fleeting,
        _ body: @Sendable (DaemonConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await DaemonConnection.open(options: options, warn: Output.warn)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Why others do not see now what is published here; nil when nothing is known to prevent it,
    /// and where the keys cannot be used: nothing is published then.
    ///
    /// - Throws: That the daemon does not answer.
    static func silence(_ bus: BatonBusClient) async throws -> String? {
        guard let status = try await status(bus), status.hasKeys else { return nil }
        if status.circle == nil { return noCircle(status) }
        if let finding = status.findings.first(where: { $0.code == FindingCode.advertisingWaits.rawValue }) {
            return finding.text + ": 'baton status' says where"
        }
        return PauseText.pause(of: status).map { "Baton is paused \($0); 'baton resume' ends that" }
    }

    /// Why nothing can be seen or be offered here at all, whatever others do; nil when it can.
    ///
    /// - Throws: That the daemon does not answer.
    static func obstacle(_ bus: BatonBusClient) async throws -> ToolFailure? {
        guard let status = try await status(bus), status.circle == nil else { return nil }
        return withoutCircle(status)
    }

    /// The failure of what needs a circle, where there is none, or nobody can say for want of keys.
    static func withoutCircle(_ status: DaemonStatus) -> ToolFailure {
        ToolFailure(noCircle(status), status: status.hasKeys ? .noCircle : .failed)
    }

    /// The condition of the daemon; nil where it cannot say, and the call that comes next tells
    /// why. One that does not answer is not asked again: it would not answer that either.
    private static func status(_ bus: BatonBusClient) async throws -> DaemonStatus? {
        do {
            return try await bus.status()
        } catch let error as BatonError where error.isUnanswered {
            throw error
        } catch let error as CancellationError {
            // Who is interrupted must not go on.
            throw error
        } catch {
            return nil
        }
    }

    /// Why this device is in no circle, and what to do, in the daemon's words; one of an older
    /// version has none.
    static func noCircle(_ status: DaemonStatus) -> String {
        status.withoutCircle ?? "this device is in no circle; see 'baton status'"
    }
}

extension DaemonStatus {
    /// Whether the device's keys can be used, without which nothing is known of it.
    var hasKeys: Bool { !findings.contains { $0.code == FindingCode.keysUnusable.rawValue } }
}

extension DaemonConnection.Options {
    /// Those of a command that ends when the daemon does.
    static let fleeting: Self = {
        var options = Self()
        options.reattaches = false
        return options
    }()
}
