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
        var watch: AsyncStream<Void>?
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
        let watch = try await bus.signals(matching: match) { [weak callers] signal -> Void? in
            // At once, before the calls of whoever has come.
            let names = signal.arguments.compactMap(\.stringValue)
            if names.count == 3 { callers?.changed(names[0], from: names[1], to: names[2]) }
            return nil
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
        if (try? await bus.owner(of: client.rawValue)) == nil {
            state.withLock { $0.known[client.rawValue] = nil }
        }
        return caller
    }

    /// The program with these credentials, whose connection was there at a time.
    static func caller(_ credentials: DBusCredentials, arrivedBy arrival: UInt64, user: UInt32) throws -> Caller {
        guard credentials.userID == user else {
            throw BatonError(.notAllowed, "batond serves its own user only")
        }
        if let descriptor = credentials.processDescriptor {
            return descriptor.withDescriptor { descriptor in
                guard let descriptor, let process = ProcessDirectory(processDescriptor: descriptor) else {
                    return .unidentified
                }
                return Caller(of: process, user: user)
            }
        }
        guard let number = credentials.processID, let process = ProcessDirectory(process: number),
            // One that began after the connection was made is another, which has got the number
            // since.
            let start = process.startTicks, start <= arrival
        else { return .unidentified }
        return Caller(of: process, user: user)
    }

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
