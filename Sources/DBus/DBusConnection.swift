// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A private connection to a message bus, as client and as server.
///
/// One thread owns the connection. Every method here may be called from any thread, and none
/// blocks. Incoming calls are answered while outgoing calls wait for replies, so two peers that
/// call each other do not deadlock. The connection ends with ``close()``, with the bus, or with the
/// last reference to it.
public final class DBusConnection: Sendable {
    /// The name that the bus gave to this connection, such as `:1.42`.
    public let uniqueName: String

    let thread: ConnectionThread
    private let lastID = Atomic<UInt64>(0)

    private init(thread: ConnectionThread, uniqueName: String) {
        self.thread = thread
        self.uniqueName = uniqueName
    }

    deinit { close() }

    /// Connects to the session bus of this login.
    ///
    /// The address comes from `DBUS_SESSION_BUS_ADDRESS`. Without this variable, the address is
    /// that of the user's own bus.
    ///
    /// - Throws: The ``DBusError`` of libdbus when there is no session bus, such as
    ///   `org.freedesktop.DBus.Error.NotSupported`.
    public static func session(limits: DBusLimits = DBusLimits()) async throws -> DBusConnection {
        try await open(.session, limits)
    }

    /// Connects to the system bus.
    public static func system() async throws -> DBusConnection { try await open(.system, DBusLimits()) }

    /// Connects to the bus at an address, such as `unix:path=/run/user/1000/bus`.
    public static func open(address: String, limits: DBusLimits = DBusLimits()) async throws -> DBusConnection {
        try await open(.address(address), limits)
    }

    private static func open(_ target: ConnectionThread.Target, _ limits: DBusLimits) async throws -> DBusConnection {
        let (thread, name) = try await ConnectionThread.start(target, limits: limits)
        return DBusConnection(thread: thread, uniqueName: name)
    }

    /// Ends the connection. Calls in flight fail with `org.freedesktop.DBus.Error.Disconnected`,
    /// and streams finish.
    ///
    /// Returns at once. ``disconnected`` reports when all descriptors are closed.
    public func close() { thread.perform { $0.close(because: DBusError.closed) } }

    /// Ends the connection as ``close()`` does.
    ///
    /// - Returns: A task that ends when all descriptors are closed, calls have failed and streams
    ///   have finished. Callers that are cancelled wait for it, too.
    public func closing() -> Task<Void, Never> {
        let ended = disconnected
        close()
        return Task { for await _ in ended {} }
    }

    /// Whether the connection has ended.
    public var isClosed: Bool { !thread.isOpen }

    /// A stream that yields the reason once when the connection has ended, and then finishes.
    ///
    /// The stream also yields the reason if the connection has already ended. When the stream
    /// yields, every file descriptor of the connection is closed.
    public var disconnected: AsyncStream<DBusError> {
        let (stream, continuation) = AsyncStream.makeStream(of: DBusError.self, bufferingPolicy: .bufferingNewest(1))
        let observed = thread.perform { core in
            core.observeDisconnect { reason in
                continuation.yield(reason)
                continuation.finish()
            }
        }
        if !observed {
            continuation.yield(DBusError.closed)
            continuation.finish()
        }
        return stream
    }

    /// Waits until the connection's thread has done all earlier work. Returns at once if the
    /// connection has ended, and never if the thread hangs.
    public func respond() async {
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            if !thread.perform({ _ in waiting.resume() }) { waiting.resume() }
        }
    }

    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }
}

/// The client's side.
extension DBusConnection {
    /// Calls a method and waits for its reply. Cancelling the task ends the wait with
    /// `CancellationError`.
    ///
    /// - Parameters:
    ///   - destination: The bus name of the peer, unique or well-known.
    ///   - path: The object.
    ///   - interface: The method's interface.
    ///   - member: The method.
    ///   - arguments: The input arguments. A value that D-Bus cannot carry throws
    ///     `org.freedesktop.DBus.Error.InvalidArgs`.
    ///   - timeout: How long to wait before `org.freedesktop.DBus.Error.NoReply` is thrown.
    /// - Returns: The output arguments.
    /// - Throws: The peer's or the bus's ``DBusError`` with its name as it was sent.
    @discardableResult
    public func call(
        destination: String, path: String, interface: String, member: String, arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25)
    ) async throws -> [DBusValue] {
        let message = try Message.call(
            destination: destination, path: path, interface: interface, member: member, arguments: arguments)
        let id = nextID()
        let ticket = CallTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[DBusValue], any Error>) in
                let accepted = thread.perform { core in
                    // If the task was cancelled before this job runs, do not send the call.
                    if ticket.isCancelled { return continuation.resume(throwing: CancellationError()) }
                    core.send(message, id: id, destination: destination, timeout: timeout) { result in
                        continuation.resume(with: result)
                    }
                }
                if !accepted { continuation.resume(throwing: DBusError.closed) }
            }
        } onCancel: {
            ticket.cancel()
            thread.perform { $0.cancelCall(id) }
        }
    }

    /// A record of whether a call was cancelled before it was sent.
    private final class CallTicket: Sendable {
        private let cancelled = Atomic<Bool>(false)
        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
        func cancel() { cancelled.store(true, ordering: .releasing) }
    }

    /// Returns a stream of the signals that match a rule, once the bus has confirmed the rule.
    ///
    /// - Parameters:
    ///   - match: The rule. The rule is removed when the stream ends or the last reference to the
    ///     stream is gone.
    ///   - buffer: The maximum number of signals that wait to be read. Beyond that the oldest are
    ///     dropped.
    /// - Throws: The bus's error about the rule, or `org.freedesktop.DBus.Error.LimitsExceeded`.
    public func signals(matching match: DBusMatch, buffer: Int = 1_024) async throws -> AsyncStream<DBusSignal> {
        try await signals(matching: match, buffer: buffer) { $0 }
    }

    /// Returns a stream of the results of a closure for the signals that match a rule. Signals for
    /// which the closure returns `nil` are dropped.
    ///
    /// The closure runs on the connection's thread and must not block.
    public func signals<Element: Sendable>(
        matching match: DBusMatch, buffer: Int = 1_024, transform: @escaping @Sendable (DBusSignal) -> Element?
    ) async throws -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(max(1, buffer)))
        let subscription = try await subscribe(match) { signal in
            if let element = transform(signal) { continuation.yield(element) }
        } finish: {
            continuation.finish()
        }
        continuation.onTermination = { _ in subscription.cancel() }
        return stream
    }
}

/// The server's side.
extension DBusConnection {
    /// Exports an object, and replaces an earlier object at the same path.
    ///
    /// - Throws: `org.freedesktop.DBus.Error.InvalidArgs` when a name or a signature is not valid
    ///   D-Bus.
    public func export(_ object: DBusObject, at path: String) throws {
        guard Syntax.isPath(path) else { throw DBusError.invalid("invalid object path '\(path)'") }
        for interface in object.interfaces {
            let members = interface.methods.map(\.name) + interface.properties.map(\.name)
            let arguments =
                interface.methods.flatMap { $0.inputs + $0.outputs } + interface.signals.flatMap(\.arguments)
            let types = arguments.map(\.signature) + interface.properties.map(\.signature)
            guard Syntax.isInterface(interface.name), members.allSatisfy(Syntax.isMember),
                types.allSatisfy(Syntax.isSingleType)
            else { throw DBusError.invalid("\(interface.name) has a name or a signature that is not valid") }
        }
        guard thread.perform({ $0.exports.insert(object, at: path) }) else { throw DBusError.closed }
    }

    /// Sets a check that every incoming call must pass first, or `nil` to let all calls pass.
    ///
    /// - Parameters:
    ///   - gate: Called with the caller's unique name. Returns the error with which to refuse the
    ///     call, or `nil` to let it pass. The gate runs on the connection's thread and must not
    ///     block.
    ///   - meter: Called with the size of each call that the gate let pass: its number of values,
    ///     where 32 bytes of strings count as one value. The meter also runs on the connection's
    ///     thread.
    public func setGate(
        _ gate: (@Sendable (_ sender: String) -> DBusError?)?,
        meter: (@Sendable (_ sender: String, _ size: Int) -> Void)? = nil
    ) {
        thread.perform {
            $0.gate = gate
            $0.meter = meter
        }
    }

    /// Removes the object at a path. Calls that are being answered continue.
    public func unexport(path: String) { thread.perform { $0.exports.remove(path) } }

    /// Sends a signal to everyone who subscribed to it, or only to one peer.
    ///
    /// Returns before the signal is written. File descriptors in the signal are duplicated, so the
    /// caller keeps its own.
    ///
    /// - Throws: `InvalidArgs` for a value that D-Bus cannot carry, `LimitsExceeded` when the bus
    ///   does not keep up, or `Disconnected`.
    public func emit(
        path: String, interface: String, member: String, arguments: [DBusValue] = [], destination: String? = nil
    ) throws {
        let message = try Message.signal(
            path: path, interface: interface, member: member, arguments: arguments, destination: destination)
        try thread.performBounded { $0.send(message) }
    }

    /// Announces new values of an object's properties in one signal.
    ///
    /// Returns before the signal is written. Source: D-Bus Specification,
    /// "org.freedesktop.DBus.Properties".
    ///
    /// - Throws: The same errors as ``emit(path:interface:member:arguments:destination:)``.
    public func emitPropertiesChanged(path: String, interface: String, _ values: [String: DBusValue]) throws {
        try emit(
            path: path, interface: StandardInterfaces.propertiesName,
            member: StandardInterfaces.propertiesChanged.name,
            arguments: [.string(interface), .properties(values), .strings([])])
    }

    /// Cancels the tasks that answer a peer's calls, for example after it has left the bus.
    public func cancelCalls(from sender: String) { thread.perform { $0.handled.cancel(sender: sender) } }
}
