// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DBus
import Glibc
import Synchronization

/// Which program each connection to the bus is, asked once and remembered while the connection
/// lasts.
public final class Callers: Sendable {
    private struct State {
        /// When each connection came, in clock ticks since the machine began; those from before the
        /// watch are not in it.
        var arrivals: [String: UInt64] = [:]
        var known: [String: Caller] = [:]
        var watch: DBusSubscription?
    }

    private let bus: DBusConnection
    private let user: UInt32
    /// When the watch began: connections that are not known to have come later were there by then.
    private let began: UInt64
    private let state = Mutex(State())

    private init(bus: DBusConnection) {
        self.bus = bus
        user = geteuid()
        began = Self.ticks
    }

    /// Watches who comes to a bus and goes from it, so that the number of a process that has gone
    /// is not taken for its own.
    public static func start(on bus: DBusConnection) async throws -> Callers {
        let callers = Callers(bus: bus)
        let match = DBusMatch(
            sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged")
        let watch = try await bus.onSignal(matching: match) { [weak callers] signal in
            // At once, before the calls of whoever has come.
            let names = signal.arguments.compactMap(\.stringValue)
            if names.count == 3 { callers?.changed(names[0], from: names[1], to: names[2]) }
        }
        callers.state.withLock { $0.watch = watch }
        return callers
    }

    /// Which program a client is.
    ///
    /// - Throws: ``BatonError/Code/notAllowed`` for another user's.
    public func caller(_ client: ClientID) async throws -> Caller {
        if let known = state.withLock({ $0.known[client.rawValue] }) { return known }
        let credentials = try await bus.credentials(of: client.rawValue)
        let arrival = state.withLock { $0.arrivals[client.rawValue] } ?? began
        let caller = try Self.caller(credentials, arrivedBy: arrival, user: user)
        state.withLock { $0.known[client.rawValue] = caller }
        // Whoever has gone meanwhile is not to be remembered.
        if (try? await isPresent(client)) != true {
            state.withLock { $0.known[client.rawValue] = nil }
        }
        return caller
    }

    /// The program with these credentials, whose connection was there at a time.
    static func caller(_ credentials: DBusCredentials, arrivedBy arrival: UInt64, user: UInt32) throws -> Caller {
        guard credentials.userID == user else {
            throw BatonError(.notAllowed, "batond serves its own user only")
        }
        if let snap = credentials.securityLabel.flatMap(Caller.init(label:)) { return snap }
        return process(of: credentials, arrivedBy: arrival).map { Caller(of: $0, user: user) } ?? .unidentified
    }

    /// The process with these credentials, whose connection was there at a time; nil when it has
    /// gone, or cannot be told from another with its number.
    private static func process(of credentials: DBusCredentials, arrivedBy arrival: UInt64) -> ProcessDirectory? {
        if let descriptor = credentials.processDescriptor {
            return descriptor.withDescriptor { $0.flatMap(ProcessDirectory.init(processDescriptor:)) }
        }
        // One that began after the connection was made is another, which has got the number since.
        guard let number = credentials.processID, let process = ProcessDirectory(process: number),
            let start = process.startTicks, start <= arrival
        else { return nil }
        return process
    }

    /// Looks at the program behind a connection as it is now, whatever is remembered: a process may
    /// execute another program.
    ///
    /// - Returns: Nil when the connection has gone.
    func look(at speaker: ClientID) async throws -> ObservedProgram? {
        let arrival = state.withLock { $0.arrivals[speaker.rawValue] } ?? began
        let credentials: DBusCredentials
        do {
            credentials = try await bus.credentials(of: speaker.rawValue)
        } catch let error as DBusError where error.name == DBusError.nameHasNoOwner {
            return nil
        }
        let observed = Self.observe(credentials, arrivedBy: arrival, user: user)
        // Who has gone meanwhile was another, or none.
        return try await isPresent(speaker) ? observed : nil
    }

    /// Looks at the program at the other end of a socket.
    ///
    /// No bus tells when the socket was connected. A kernel that gives no descriptor for the
    /// process (before 6.5) gives its number, which is believed of a process that has begun by now,
    /// while the other end is still open.
    ///
    /// - Returns: Nil when the other end is closed.
    /// - Throws: ``BatonError/Code/invalidArgument`` when it is no such socket.
    func look(atEndOf socket: OwnedDescriptor) throws -> ObservedProgram? {
        let end = try SocketEnd(socket)
        let observed = Self.observe(end.credentials, arrivedBy: Self.ticks, user: user)
        return end.isOpen ? observed : nil
    }

    private static func observe(
        _ credentials: DBusCredentials, arrivedBy arrival: UInt64, user: UInt32
    ) -> ObservedProgram {
        guard credentials.userID == user else { return .unseen }
        if let snap = credentials.securityLabel.flatMap(Caller.init(label:)) {
            return ObservedProgram(caller: snap, executable: nil, command: snap.applicationID)
        }
        guard let process = process(of: credentials, arrivedBy: arrival) else { return .unseen }
        return ObservedProgram(process, user: user)
    }

    /// Whether a connection is still there.
    func isPresent(_ client: ClientID) async throws -> Bool { try await bus.owner(of: client.rawValue) != nil }

    private func changed(_ name: String, from old: String, to new: String) {
        guard name.hasPrefix(":") else { return }
        let now = Self.ticks
        state.withLock { state in
            if new.isEmpty {
                state.arrivals[name] = nil
                state.known[name] = nil
            } else if old.isEmpty {
                state.arrivals[name] = now
            }
        }
    }

    /// Now, in the unit of ``ProcessDirectory/startTicks``.
    static var ticks: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return UInt64(now.tv_sec) * perSecond + UInt64(now.tv_nsec) * perSecond / 1_000_000_000
    }
}
