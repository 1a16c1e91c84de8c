// SPDX-License-Identifier: Apache-2.0

internal import DBus
public import TraceModel

/// `org.batonproject.Baton1.Daemon`: what the daemon is, and its condition.
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
    /// The condition of the daemon.
    ///
    /// - Parameter timeout: How long to wait for the answer; `nil` as for most calls.
    public func status(timeout: Duration? = nil) async throws -> DaemonStatus {
        try await call(DaemonInterface.status, (), timeout: timeout)
    }

    /// Begins a trace: lines of text, a JSON object each, that come by the descriptor until it is
    /// closed, or for an hour (`Documentation/Trace.md`).
    ///
    /// - Parameter details: What is told as it is, and not by a letter.
    public func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        try await call(DaemonInterface.trace, details)
    }

    /// What left this laptop, the latest first.
    public func history() async throws -> [HistoryEntry] { try await call(DaemonInterface.history) }

    /// Forgets all of that.
    public func forgetHistory() async throws { try await call(DaemonInterface.forgetHistory) }
}
