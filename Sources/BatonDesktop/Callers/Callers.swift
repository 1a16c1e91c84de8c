// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DBus
import Diagnosis
import Glibc
import Synchronization

/// Identifies the program behind each connection to the bus. Each program is identified once, and
/// the answer is remembered while the connection lasts.
public final class Callers: Sendable {
    private struct State {
        /// When each connection was made, in clock ticks since boot. Connections from before the
        /// watch are not included.
        var arrivals: [String: UInt64] = [:]
        var known: [String: Caller] = [:]
        var watch: DBusSubscription?
    }

    private let bus: DBusConnection
    private let user: UInt32
    /// When the watch began. Connections without a known arrival already existed at that time.
    private let began: UInt64
    private let state = Mutex(State())

    private init(bus: DBusConnection) {
        self.bus = bus
        user = geteuid()
        began = Self.ticks
    }

    /// Starts to watch connections to a bus. The times of the connections reveal a process with the
    /// reused number of an ended one.
    public static func start(on bus: DBusConnection) async throws -> Callers {
        let callers = Callers(bus: bus)
        let match = DBusMatch(
            sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged")
        let watch = try await bus.onSignal(matching: match) { [weak callers] signal in
            // Record the change immediately, before the calls of a new connection are handled.
            let names = signal.arguments.compactMap(\.stringValue)
            if names.count == 3 { callers?.changed(names[0], from: names[1], to: names[2]) }
        }
        callers.state.withLock { $0.watch = watch }
        return callers
    }

    /// Returns the program behind a connection.
    ///
    /// - Throws: ``BatonError/Code/notAllowed`` if the program belongs to another user.
    public func caller(_ client: ClientID) async throws -> Caller {
        if let known = state.withLock({ $0.known[client.rawValue] }) { return known }
        let credentials = try await bus.credentials(of: client.rawValue)
        let arrival = state.withLock { $0.arrivals[client.rawValue] } ?? began
        let caller = try Self.caller(credentials, arrivedBy: arrival, user: user)
        state.withLock { $0.known[client.rawValue] = caller }
        // Do not remember a connection that has ended meanwhile.
        if (try? await isPresent(client)) != true {
            state.withLock { $0.known[client.rawValue] = nil }
        }
        return caller
    }

    /// Returns the program with these credentials, whose connection existed at a given time.
    static func caller(_ credentials: DBusCredentials, arrivedBy arrival: UInt64, user: UInt32) throws -> Caller {
        guard credentials.userID == user else { throw BatonError(.notAllowed, .otherUser) }
        if let snap = credentials.securityLabel.flatMap(Caller.init(label:)) { return snap }
        return process(of: credentials, arrivedBy: arrival).map { Caller(of: $0, user: user) } ?? .unidentified
    }

    /// Returns the process with these credentials, whose connection existed at a given time.
    /// Returns nil if the process has ended, or may be another one with the same number.
    private static func process(of credentials: DBusCredentials, arrivedBy arrival: UInt64) -> ProcessDirectory? {
        if let descriptor = credentials.processDescriptor {
            return descriptor.withDescriptor { $0.flatMap(ProcessDirectory.init(processDescriptor:)) }
        }
        // A process that started after the connection was made is another one with a reused number.
        guard let number = credentials.processID, let process = ProcessDirectory(process: number),
            let start = process.startTicks, start <= arrival
        else { return nil }
        return process
    }

    /// Inspects the program behind a connection now.
    ///
    /// The remembered answer is not used, because a process may execute another program.
    ///
    /// - Returns: The observation, or nil if the connection has ended.
    func look(at speaker: ClientID) async throws -> ObservedProgram? {
        let arrival = state.withLock { $0.arrivals[speaker.rawValue] } ?? began
        let credentials: DBusCredentials
        do {
            credentials = try await bus.credentials(of: speaker.rawValue)
        } catch let error as DBusError where error.name == DBusError.nameHasNoOwner {
            return nil
        }
        let observed = Self.observe(credentials, arrivedBy: arrival, user: user)
        // If the connection has ended meanwhile, the observed process may be another one.
        return try await isPresent(speaker) ? observed : nil
    }

    /// Inspects the program at the other end of a socket.
    ///
    /// Unlike on the bus, the time of the connection is unknown. A kernel before 6.5 gives a
    /// process number instead of a descriptor. That number is accepted if such a process exists and
    /// the other end is still open.
    ///
    /// - Returns: The observation, or nil if the other end is closed.
    /// - Throws: ``BatonError/Code/invalidArgument`` if the descriptor is not a connected UNIX
    ///   stream socket.
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

    /// Returns whether a connection still exists.
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

    /// The current time in the unit of ``ProcessDirectory/startTicks``.
    static var ticks: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return UInt64(now.tv_sec) * perSecond + UInt64(now.tv_nsec) * perSecond / 1_000_000_000
    }
}
