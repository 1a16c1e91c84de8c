// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The state of one connection, used only by its own thread.
///
/// Messages are taken with `dbus_connection_pop_message`, so libdbus calls no message handlers.
/// This type matches replies by serial number and keeps the timeouts, so libdbus needs no timeouts.
final class ConnectionCore {
    static let busName = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    /// The number of messages handled before jobs get their turn.
    private static let batch = 64

    let connection: OpaquePointer
    let uniqueName: String
    let thread: ConnectionThread
    var limits: DBusLimits { thread.limits }

    private(set) var isClosed = false
    private var closing: DBusError?
    private var watches: [OpaquePointer] = []
    private var disconnectObservers: [@Sendable (DBusError) -> Void] = []
    private var calls: [UInt32: WaitingCall] = [:]
    var subscriptions = SubscriptionTable()
    var exports = ExportTable()
    var handled = HandledCalls()
    /// Returns the error with which to refuse a call from a sender, or `nil` to let the call pass.
    var gate: (@Sendable (_ sender: String) -> DBusError?)?
    /// Called with the size of each call that the gate let pass.
    var meter: (@Sendable (_ sender: String, _ size: Int) -> Void)?

    private struct WaitingCall {
        var id: UInt64?
        var destination: String?
        var deadline: ContinuousClock.Instant
        var completion: Completion
    }

    typealias Completion = (Result<[DBusValue], any Error>) -> Void

    /// Connects to the bus and registers. Blocks this thread until the bus has answered.
    init(connecting target: ConnectionThread.Target, thread: ConnectionThread) throws {
        _ = Self.threadsInitialised
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        func failure() -> DBusError {
            var message = error.message.map { String(cString: $0) } ?? "cannot connect to the message bus"
            // Some of libdbus's messages end with a newline.
            if message.hasSuffix("\n") { message.removeLast() }
            return DBusError(name: error.name.map { String(cString: $0) } ?? DBusError.failed, message: message)
        }
        let opened: OpaquePointer?
        switch target {
        case .session: opened = dbus_bus_get_private(DBUS_BUS_SESSION, &error)
        case .system: opened = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error)
        case .address(let address):
            guard !Syntax.hasNUL(address) else { throw DBusError.invalid("invalid bus address") }
            opened = dbus_connection_open_private(address, &error)
        }
        guard let opened else { throw failure() }
        dbus_connection_set_exit_on_disconnect(opened, 0)
        dbus_connection_set_change_sigpipe(0)
        dbus_connection_set_max_received_size(opened, CLong(thread.limits.receivedBytes))
        if case .address = target, dbus_bus_register(opened, &error) == 0 {
            let reason = failure()
            dbus_connection_close(opened)
            dbus_connection_unref(opened)
            throw reason
        }
        connection = opened
        uniqueName = dbus_bus_get_unique_name(opened).map { String(cString: $0) } ?? ""
        self.thread = thread
    }

    private static let threadsInitialised = dbus_threads_init_default()

    /// Serves the connection until it ends. Returns when all resources of the connection are
    /// released.
    func run() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let watching = dbus_connection_set_watch_functions(
            connection,
            { watch, context in
                guard let watch, let context else { return 0 }
                Unmanaged<ConnectionCore>.fromOpaque(context).takeUnretainedValue().watches.append(watch)
                return 1
            },
            { watch, context in
                guard let watch, let context else { return }
                Unmanaged<ConnectionCore>.fromOpaque(context).takeUnretainedValue().watches.removeAll { $0 == watch }
            }, nil, context, nil)
        if watching == 0 { closing = DBusError.limit("no memory for a connection") }
        while closing == nil {
            for job in thread.takeJobs() { job(self) }
            handleMessages()
            // Expire calls only after the messages, because a reply that arrived while this thread
            // was blocked is in time.
            expireCalls()
            thread.setOutgoingFull(dbus_connection_get_outgoing_size(connection) > limits.outgoingBytes)
            if dbus_connection_get_is_connected(connection) == 0, !hasMessages {
                close(because: DBusError(name: DBusError.disconnected, message: "the message bus has gone"))
            }
            if closing == nil { wait() }
        }
        finish(closing ?? DBusError.closed)
    }

    /// Ends the connection at the next turn of its loop.
    func close(because reason: DBusError) { closing = closing ?? reason }

    func observeDisconnect(_ observer: @escaping @Sendable (DBusError) -> Void) {
        if isClosed { observer(closing ?? DBusError.closed) } else { disconnectObservers.append(observer) }
    }

    private func finish(_ reason: DBusError) {
        dbus_connection_close(connection)
        while let message = dbus_connection_pop_message(connection) { dbus_message_unref(message) }
        _ = dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_unref(connection)
        isClosed = true
        let late = thread.shut()
        for job in late { job(self) }
        let waiting = calls.values
        calls = [:]
        for call in waiting { call.completion(.failure(reason)) }
        handled.cancelAll()
        subscriptions.finishAll()
        for observer in disconnectObservers { observer(reason) }
        disconnectObservers = []
    }
}

/// Waiting for the bus, for jobs and for deadlines.
extension ConnectionCore {
    private var hasMessages: Bool { dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS }

    private func wait() {
        let active = watches.filter { dbus_watch_get_enabled($0) != 0 }
        var polled = active.map { watch in
            let flags = dbus_watch_get_flags(watch)
            var events: Int32 = 0
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { events |= POLLIN }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events |= POLLOUT }
            return pollfd(fd: dbus_watch_get_unix_fd(watch), events: Int16(events), revents: 0)
        }
        polled.append(pollfd(fd: thread.withWakeup { $0 }, events: Int16(POLLIN), revents: 0))
        guard poll(&polled, nfds_t(polled.count), millisecondsToWait()) >= 0 else { return }
        if polled[active.count].revents != 0 { thread.drainWakeup() }
        for (watch, ready) in zip(active, polled) where ready.revents != 0 && watches.contains(watch) {
            var flags: UInt32 = 0
            let events = Int32(ready.revents)
            if events & POLLIN != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
            if events & POLLOUT != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
            if events & POLLERR != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
            if events & POLLHUP != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
            _ = dbus_watch_handle(watch, flags)
        }
    }

    private func millisecondsToWait() -> Int32 {
        if hasMessages { return 0 }
        guard let first = calls.values.map(\.deadline).min() else { return -1 }
        let left = ContinuousClock.now.duration(to: first)
        // Wait one millisecond more, because a wait that ends slightly early would only be
        // repeated.
        return Int32(clamping: max(0, Int(left / .milliseconds(1)) + 1))
    }

    private func handleMessages() {
        for _ in 0..<Self.batch {
            guard let pointer = dbus_connection_pop_message(connection) else { return }
            let message = Message(adopting: pointer)
            switch message.type {
            case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR: handleReply(message)
            case DBUS_MESSAGE_TYPE_SIGNAL: handleSignal(message)
            case DBUS_MESSAGE_TYPE_METHOD_CALL: handleCall(message)
            default: break
            }
        }
    }
}

/// Outgoing calls.
extension ConnectionCore {
    /// Sends a call. The completion runs once, on this thread, with the reply or an error.
    ///
    /// - Parameter id: A number that identifies the call for ``cancelCall(_:)``.
    func send(
        _ message: Message, id: UInt64? = nil, destination: String? = nil, timeout: Duration,
        completion: @escaping Completion
    ) {
        guard !isClosed else { return completion(.failure(closing ?? DBusError.closed)) }
        guard calls.count < limits.pendingCalls else {
            return completion(.failure(DBusError.limit("\(limits.pendingCalls) calls wait for replies already")))
        }
        guard dbus_connection_get_outgoing_size(connection) <= limits.outgoingBytes else {
            return completion(
                .failure(DBusError.limit("the bus does not read what this connection has already sent")))
        }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(connection, message.pointer, &serial) != 0 else {
            return completion(.failure(Message.noMemory))
        }
        calls[serial] = WaitingCall(
            id: id, destination: destination, deadline: .now.advanced(by: timeout), completion: completion)
    }

    /// Sends a message that gets no reply: a signal, or a reply to a call.
    func send(_ message: Message) {
        guard !isClosed else { return }
        _ = dbus_connection_send(connection, message.pointer, nil)
    }

    func cancelCall(_ id: UInt64) {
        guard let found = calls.first(where: { $0.value.id == id }) else { return }
        calls[found.key] = nil
        found.value.completion(.failure(CancellationError()))
    }

    private func handleReply(_ message: Message) {
        guard let call = calls[message.replySerial] else { return }
        // A peer that guesses a serial number must not answer for another peer.
        if let destination = call.destination, destination.hasPrefix(":") || destination == Self.busName,
            let sender = message.sender, sender != destination, sender != Self.busName
        {
            return
        }
        calls[message.replySerial] = nil
        call.completion(message.result(limits: limits))
    }

    private func expireCalls() {
        let now = ContinuousClock.now
        for (serial, call) in calls where call.deadline <= now {
            calls[serial] = nil
            call.completion(.failure(DBusError(name: DBusError.noReply, message: "no reply in time")))
        }
    }
}
