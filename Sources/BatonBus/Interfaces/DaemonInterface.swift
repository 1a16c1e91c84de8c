// SPDX-License-Identifier: Apache-2.0

internal import DBus
public import TraceModel

/// `org.batonproject.Baton1.Daemon`: the daemon's version, status, trace and history.
package enum DaemonInterface: BusInterface {
    static let name = BatonBusName.daemon
    package static let status: BusCall<Void, DaemonStatus> = BusCall(
        name, "Status", returns: .dictionary("status")
    ).forUnprivileged { $0.forUnprivileged }
    package static let trace = BusCall(
        name, "Trace", takes: details, returns: .descriptor("descriptor"), needs: .managing)
    package static let history: BusCall<Void, [HistoryEntry]> = BusCall(
        name, "History", returns: .list("entries"), needs: .managing)
    package static let forgetHistory = BusCall(name, "ForgetHistory", needs: .managing)

    static let methods: [any BusMethod] = [status, trace, history, forgetHistory]

    private static let details = BusArguments.strings("details").map(
        { words in
            Set(
                try words.map {
                    try TraceDetail(rawValue: $0).orInvalid("details", "names, addresses, types or titles")
                })
        }, { (details: Set<TraceDetail>) in details.map(\.rawValue) })
}

/// The daemon.
extension BatonBusClient {
    /// Returns the status of the daemon.
    ///
    /// - Parameter timeout: The time to wait for the answer, or `nil` for the usual time.
    public func status(timeout: Duration? = nil) async throws -> DaemonStatus {
        try await call(DaemonInterface.status, (), timeout: timeout)
    }

    /// Begins a trace. The descriptor delivers lines of text, each a JSON object, until the caller
    /// closes it, or for an hour (`Documentation/Trace.md`).
    ///
    /// - Parameter details: The details to write in plain text. The others are replaced by letters.
    public func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        try await call(DaemonInterface.trace, details)
    }

    /// Returns the history of what left this laptop, the latest first.
    public func history() async throws -> [HistoryEntry] { try await call(DaemonInterface.history) }

    /// Deletes the history.
    public func forgetHistory() async throws { try await call(DaemonInterface.forgetHistory) }
}
