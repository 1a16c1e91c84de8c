// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis
import Wording

/// The tool's connection to the daemon.
enum Daemon {
    /// Runs a closure with a connection, and closes the connection afterwards.
    ///
    /// - Parameters:
    ///   - options: The options of the connection. By default the connection ends when the daemon
    ///     ends.
    ///   - body: The closure.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or an error if there is no session bus.
    static func connected<Result: Sendable>(
        as options: DaemonConnection.Options = .fleeting,
        _ body: @Sendable (DaemonConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await DaemonConnection.open(options: options, warn: Output.warn)
        connection.bus.explainErrors()
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Returns why other devices do not see a published activity now. Returns `nil` if no reason is
    /// known.
    ///
    /// Also returns `nil` if the keys cannot be used, because then publishing itself fails.
    ///
    /// - Throws: ``ToolFailure`` if the daemon does not answer.
    static func silence(_ bus: BatonBusClient) async throws -> String? {
        guard let status = try await status(bus), status.hasKeys else { return nil }
        if status.circle == nil { return noCircle(status) }
        if let finding = status.findings.first(where: { $0.code == FindingCode.advertisingWaits.rawValue }) {
            return finding.text(on: .terminal)
        }
        return PauseText.finding(of: status)?.text(on: .terminal)
    }

    /// Returns a failure if this device is in no circle, because it then neither sees nor offers
    /// anything. Returns `nil` if there is a circle, or if the status is unknown.
    ///
    /// - Throws: ``ToolFailure`` if the daemon does not answer.
    static func obstacle(_ bus: BatonBusClient) async throws -> ToolFailure? {
        guard let status = try await status(bus), status.circle == nil else { return nil }
        return withoutCircle(status)
    }

    /// Returns why other devices may be impossible to find in this network, and what to do. Returns
    /// `nil` if no reason is known.
    ///
    /// - Throws: An error if the daemon does not answer.
    static func networkHint(_ bus: BatonBusClient) async throws -> String? {
        try await status(bus)?.findings.first { $0.code == FindingCode.networkUnknown.rawValue }?
            .text(on: .terminal)
    }

    /// Returns the failure of a command that needs a circle, for a status without one.
    static func withoutCircle(_ status: DaemonStatus) -> ToolFailure {
        ToolFailure(noCircle(status), status: status.hasKeys ? .noCircle : .failed)
    }

    /// Returns the daemon's status. Throws if the daemon does not answer, because the next call
    /// would not be answered either.
    ///
    /// After any other failure, returns `nil`, and the next call reports the reason.
    private static func status(_ bus: BatonBusClient) async throws -> DaemonStatus? {
        do {
            return try await bus.status()
        } catch let error as BatonError where error.isUnanswered {
            throw error
        } catch let error as CancellationError {
            // An interrupted command must not continue.
            throw error
        } catch {
            return nil
        }
    }

    /// Returns the daemon's explanation of why there is no circle and what to do. For an older
    /// daemon, which sends no explanation, returns a general text.
    static func noCircle(_ status: DaemonStatus) -> String {
        (status.withoutCircle ?? Finding(.noCircle)).text(on: .terminal)
    }
}

extension DaemonStatus {
    /// Whether the device's keys can be used. Without keys the daemon does not know its circle.
    var hasKeys: Bool { !findings.contains { $0.code == FindingCode.keysUnusable.rawValue } }
}

extension DaemonConnection.Options {
    /// The options of a command that ends when the daemon ends.
    static let fleeting: Self = {
        var options = Self()
        options.reattaches = false
        return options
    }()
}
