// SPDX-License-Identifier: Apache-2.0

internal import DBus
public import TraceModel

/// `org.batonproject.Baton1.Daemon`: the daemon's version, status, trace and history.
package enum DaemonInterface: BusInterface {
    static let name = BatonBusName.daemon
    package static let status: BusCall<Void, DaemonStatus> = BusCall(
        name, "Status", returns: .dictionary("status")
    ).forUnprivileged { $0.forUnprivileged }
    /// Answers with the present status. Sends the client the status after each change until the
    /// client leaves.
    package static let follow: BusCall<Void, DaemonStatus> = BusCall(
        name, "Follow", returns: .dictionary("status"), needs: .managing)
    package static let trace = BusCall(
        name, "Trace", takes: details, returns: .descriptor("descriptor"), needs: .managing)
    package static let history: BusCall<Void, [HistoryEntry]> = BusCall(
        name, "History", returns: .list("entries"), needs: .managing)
    /// Answers with the present history. Sends the client the history after each change until the
    /// client leaves.
    package static let followHistory: BusCall<Void, [HistoryEntry]> = BusCall(
        name, "FollowHistory", returns: .list("entries"), needs: .managing)
    package static let forgetHistory = BusCall(name, "ForgetHistory", needs: .managing)

    /// Adds the code and the values of the reason to the client's errors until the client leaves.
    /// ``BatonBusService`` itself answers this call.
    static let explainErrors = BusCall(name, "ExplainErrors")

    static let methods: [any BusMethod] = [
        status, follow, trace, history, followHistory, forgetHistory, explainErrors,
    ]
    static let signals = [
        signal("StatusChanged", ["status": "a{sv}"]), signal("HistoryChanged", ["entries": "aa{sv}"]),
    ]

    private static let details = BusArguments.strings("details").map(
        { words in
            Set(
                try words.map {
                    try TraceDetail(rawValue: $0).orInvalid(
                        "details", .word(["names", "addresses", "types", "titles"]))
                })
        }, { (details: Set<TraceDetail>) in details.map(\.rawValue) })
}

/// The daemon.
extension BatonBusClient {
    /// Asks the daemon to send the reasons of its errors, so that this program can word them
    /// itself. Does not wait for the answer, because the daemon answers calls in their order, and
    /// an older daemon refuses this call.
    public func explainErrors() {
        Task.immediate { [self] in try? await call(DaemonInterface.explainErrors) }
    }

    /// Returns the status of the daemon.
    ///
    /// - Parameter timeout: The time to wait for the answer, or `nil` for the usual time.
    public func status(timeout: Duration? = nil) async throws -> DaemonStatus {
        try await call(DaemonInterface.status, (), timeout: timeout)
    }

    /// Returns the status, then the new status after each change, without the parts that change all
    /// the time. The stream finishes when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func statuses() async throws -> AsyncStream<DaemonStatus> {
        let changes = try await events(of: BatonBusName.daemon, member: "StatusChanged") {
            try? DaemonStatus(bus: $0.arguments.first)
        }
        return Self.following(try await call(DaemonInterface.follow), changes)
    }

    /// Begins a trace. The descriptor delivers lines of text, each a JSON object, until the caller
    /// closes it, or for an hour (`Documentation/Trace.md`).
    ///
    /// - Parameter details: The details to write in plain text. All other details are replaced by
    ///   letters.
    public func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        try await call(DaemonInterface.trace, details)
    }

    /// Returns the history of the activities that left this laptop, the latest first.
    public func history() async throws -> [HistoryEntry] { try await call(DaemonInterface.history) }

    /// Returns the history, then the new history after each change. The stream finishes when the
    /// bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func historyChanges() async throws -> AsyncStream<[HistoryEntry]> {
        let changes = try await events(of: BatonBusName.daemon, member: "HistoryChanged") {
            $0.arguments.first?.arrayValue?.compactMap { try? HistoryEntry(bus: $0) }
        }
        return Self.following(try await call(DaemonInterface.followHistory), changes)
    }

    /// Deletes the history.
    public func forgetHistory() async throws { try await call(DaemonInterface.forgetHistory) }
}
