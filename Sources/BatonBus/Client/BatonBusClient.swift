// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis

/// A client of the daemon's session-bus interface, for apps and tools.
///
/// Every method throws a ``BatonError``: the daemon's own, or ``BatonError/Code/daemonNotRunning``
/// or ``BatonError/Code/busUnavailable`` if the daemon cannot be reached. A cancelled task throws
/// `CancellationError`.
public final class BatonBusClient: Sendable {
    let connection: DBusConnection
    /// The bus name to which calls go.
    private let daemon: String

    private init(connection: DBusConnection, daemon: String = BatonBusName.bus) {
        self.connection = connection
        self.daemon = daemon
    }

    /// Connects to the session bus, or to the bus at an address. The daemon need not run yet.
    public static func connect(address: String? = nil) async throws -> BatonBusClient {
        do {
            if let address { return BatonBusClient(connection: try await .open(address: address)) }
            return BatonBusClient(connection: try await .session())
        } catch let error as DBusError {
            throw BatonError(.busUnavailable, .noBus, because: error)
        }
    }

    /// Connects to the daemon that runs on the session bus, or returns nil if none runs. The
    /// client's calls go only to that process and never start a new daemon.
    public static func connectToRunning() async throws -> BatonBusClient? {
        let client = try await connect()
        guard let owner = try await client.connection.owner(of: BatonBusName.bus) else {
            client.close()
            return nil
        }
        return BatonBusClient(connection: client.connection, daemon: owner)
    }

    /// The id by which the daemon knows this client.
    public var id: ClientID { ClientID(rawValue: connection.uniqueName) }

    /// Closes the connection. The daemon then invalidates this client's activities, and all event
    /// streams finish.
    public func close() { connection.close() }

    /// Closes the connection as ``close()`` does.
    ///
    /// - Returns: A task that ends when nothing of the connection is left.
    package func closing() -> Task<Void, Never> { connection.closing() }

    /// Calls a method of the daemon's object.
    ///
    /// - Parameter timeout: The time to wait for the answer, or `nil` for the time that the call
    ///   declares.
    /// - Throws: ``BatonError``, also for arguments that D-Bus cannot carry.
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

/// The events that the daemon sends.
extension BatonBusClient {
    /// Returns the events of this client's activities and streams from now on.
    ///
    /// If the caller does not read the stream, the stream keeps the newest 1,024 events.
    public func activityEvents() async throws -> AsyncStream<ActivityEvent> {
        try await events(of: BatonBusName.activities) { ActivityEvent($0) }
    }

    /// Returns the events of other devices' offers from now on.
    public func offerEvents() async throws -> AsyncStream<OfferEvent> {
        try await events(of: BatonBusName.offers) { OfferEvent($0) }
    }

    /// Returns the progress of all offers that are being opened from now on, by any program.
    public func offerProgress() async throws -> AsyncStream<OfferProgress> {
        try await events(of: BatonBusName.offers, member: "Progress") { OfferProgress($0) }
    }

    /// Returns the daemon's signals from now on, converted by `transform`. Signals for which
    /// `transform` returns `nil` are dropped.
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

    /// Returns a stream of a first value and then each changed value. The stream buffers only the
    /// newest value.
    static func following<Value: Sendable>(_ first: Value, _ changes: AsyncStream<Value>) -> AsyncStream<Value> {
        following([first], changes) { $0 }
    }

    /// Returns a stream of the first values and then the value after each change.
    ///
    /// - Parameters:
    ///   - count: The number of newest values that the stream buffers.
    ///   - value: Returns the value after a change, or nil to skip the change.
    static func following<Change: Sendable, Value: Sendable>(
        _ first: [Value], _ changes: AsyncStream<Change>, keeping count: Int = 1,
        _ value: @escaping @Sendable (Change) async -> Value?
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(count))
        for value in first { continuation.yield(value) }
        let task = Task {
            for await change in changes {
                if let value = await value(change) { continuation.yield(value) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns a stream that says whether the daemon is on the bus: the present state, then each
    /// change. The stream finishes when the bus disconnects.
    public func daemonPresence() async throws -> AsyncStream<Bool> {
        do {
            let changes = try await connection.nameOwnerChanges(of: BatonBusName.bus)
            let present = try await connection.owner(of: BatonBusName.bus) != nil
            return Self.following([present], changes, keeping: 16) { $0.newOwner != nil }
        } catch {
            throw BatonError.fromTheBus(error)
        }
    }
}
