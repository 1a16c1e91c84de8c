// SPDX-License-Identifier: Apache-2.0

internal import DBus
public import UserActivity

/// An app's or a tool's end of the session-bus interface.
public final class BatonBusClient: Sendable {
    let connection: DBusConnection

    init(connection: DBusConnection) { self.connection = connection }
    static var later: BatonBusError { BatonBusError(.failed, "not yet") }

    /// Connects to the session bus, or to the bus at an address. Does not need a running daemon yet.
    public static func connect(address: String? = nil) async throws -> BatonBusClient { throw later }
    /// Closes the connection; all event streams finish.
    public func close() {}

    public func status() async throws -> DaemonStatus { throw Self.later }
    public func createCircle(name: String = "") async throws -> CircleSummary { throw Self.later }
    public func invite() async throws -> CircleInvitation { throw Self.later }
    public func joinCircle(invitation: String) async throws -> CircleSummary { throw Self.later }
    public func publish(
        _ activity: ActivityState, team: String? = nil, needsSave: Bool = false
    ) async throws -> String { throw Self.later }
    public func update(activity: String, properties: ActivityProperties) async throws {}
    public func becomeCurrent(activity: String) async throws {}
    public func resignCurrent(activity: String) async throws {}
    public func invalidate(activity: String) async throws {}
    public func offers() async throws -> [OfferSummary] { throw Self.later }
    public func continueOffer(_ offer: String, timeout: Duration? = nil) async throws -> ContinuedActivity {
        throw Self.later
    }
    public func accept(continuation: String, accepted: Bool) async throws {}
    public func openStreams(continuation: String) async throws -> OpenedStreams { throw Self.later }
    public func cancel(_ continuationOrOffer: String) async throws {}

    /// The events of this client's activities and streams.
    public func activityEvents() async throws -> AsyncStream<ActivityEvent> { throw Self.later }
    /// The events of other devices' offers.
    public func offerEvents() async throws -> AsyncStream<OfferEvent> { throw Self.later }
    /// Whether the daemon is there: the present state at once, then each change; finishes when the bus goes.
    public func daemonPresence() async throws -> AsyncStream<Bool> { throw Self.later }
}
