// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// An app's or a tool's end of the session-bus interface.
///
/// Every method throws a ``BatonError``: the daemon's own, or
/// ``BatonError/Code/daemonNotRunning`` and ``BatonError/Code/busUnavailable`` for the way to
/// it. A cancelled task throws `CancellationError`.
public final class BatonBusClient: Sendable {
    let connection: DBusConnection
    /// Whom calls go to.
    private let daemon: String

    private init(connection: DBusConnection, daemon: String = BatonBusName.bus) {
        self.connection = connection
        self.daemon = daemon
    }

    /// Connects to the session bus, or to the bus at an address. No daemon needs to run yet.
    public static func connect(address: String? = nil) async throws -> BatonBusClient {
        do {
            if let address { return BatonBusClient(connection: try await .open(address: address)) }
            return BatonBusClient(connection: try await .session())
        } catch let error as DBusError {
            throw BatonError(
                .busUnavailable,
                "cannot connect to the session bus (\(error.message)); "
                    + "run this inside a login session, or set DBUS_SESSION_BUS_ADDRESS", cause: error.name)
        }
    }

    /// Connects to the daemon that runs on the session bus; nil when none does. Its calls go to
    /// that process alone, so that they start none.
    public static func connectToRunning() async throws -> BatonBusClient? {
        let client = try await connect()
        guard let owner = try await client.connection.owner(of: BatonBusName.bus) else {
            client.close()
            return nil
        }
        return BatonBusClient(connection: client.connection, daemon: owner)
    }

    /// This client as the daemon knows it.
    public var id: ClientID { ClientID(rawValue: connection.uniqueName) }

    /// Closes the connection: the daemon invalidates this client's activities, all event streams
    /// finish.
    public func close() { connection.close() }

    /// Calls a method of the daemon's object.
    ///
    /// - Parameter timeout: How long to wait for the answer; `nil` as the declaration says.
    /// - Throws: ``BatonError``, also for arguments that the daemon would refuse.
    package func call<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>, _ arguments: Arguments, timeout: Duration? = nil
    ) async throws -> Answer {
        do {
            return try await connection.call(
                call, arguments, destination: daemon, path: BatonBusName.path, timeout: timeout ?? call.timeout)
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }

    /// Calls a method without arguments.
    package func call<Answer>(_ call: BusCall<Void, Answer>) async throws -> Answer { try await self.call(call, ()) }
}

/// What the daemon says by itself.
extension BatonBusClient {
    /// The events of this client's activities and streams, from now on.
    ///
    /// A stream that is not read keeps the newest 1,024.
    public func activityEvents() async throws -> AsyncStream<ActivityEvent> {
        try await events(of: BatonBusName.activities) { ActivityEvent($0) }
    }

    /// The events of other devices' offers, from now on.
    public func offerEvents() async throws -> AsyncStream<OfferEvent> {
        try await events(of: BatonBusName.offers) { OfferEvent($0) }
    }

    /// How far offers come that are being opened, by whomever, from now on.
    public func offerProgress() async throws -> AsyncStream<OfferProgress> {
        try await events(of: BatonBusName.offers, member: "Progress") { OfferProgress($0) }
    }

    /// The daemon's signals, from now on, each made into an event; those that give `nil` are left
    /// out.
    func events<Event: Sendable>(
        of interface: String, member: String? = nil, arguments: [Int: String] = [:],
        _ transform: @escaping @Sendable (DBusSignal) -> Event?
    ) async throws -> AsyncStream<Event> {
        do {
            return try await connection.signals(
                matching: DBusMatch(
                    sender: BatonBusName.bus, path: BatonBusName.path, interface: interface, member: member,
                    arguments: arguments), transform: transform)
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }

    /// Whether the daemon is there: the present state at once, then each change; finishes when the
    /// bus goes.
    public func daemonPresence() async throws -> AsyncStream<Bool> {
        do {
            let changes = try await connection.nameOwnerChanges(of: BatonBusName.bus)
            let present = try await connection.owner(of: BatonBusName.bus) != nil
            let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(16))
            continuation.yield(present)
            let task = Task {
                for await change in changes { continuation.yield(change.newOwner != nil) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }
}
