// SPDX-License-Identifier: Apache-2.0

public import DBus
import Glibc

/// Follows ``SessionState`` on the system bus.
public struct SessionWatch: Sendable {
    private let bus: DBusConnection

    private static let name = "org.freedesktop.login1"
    private static let root = "/org/freedesktop/login1"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// The maximum number of seats to check. A laptop has one seat.
    private static let maximumSeats = 16

    /// Creates a watch on the system bus.
    public init(systemBus bus: DBusConnection) { self.bus = bus }

    /// Reports the current state and each change. Runs until the task is cancelled or the bus
    /// connection ends.
    public func run(_ changed: @Sendable (SessionState) async -> Void) async {
        let match = DBusMatch(sender: Self.name, pathNamespace: Self.root, interface: Self.properties)
        // Read the state also after logind has started or restarted.
        guard let signals = try? await bus.signals(matching: match, buffer: 64),
            let owners = try? await bus.nameOwnerChanges(of: Self.name)
        else { return }
        let (news, new) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        new.yield()
        let watches = [
            Task {
                for await _ in signals { new.yield() }
                new.finish()
            },
            Task { for await _ in owners { new.yield() } },
        ]
        var state: SessionState?
        for await _ in news {
            let now = await read()
            guard now != state else { continue }
            state = now
            await changed(now)
        }
        for watch in watches { watch.cancel() }
    }

    private func read() async -> SessionState {
        // Return early without logind, because a call would wait while the bus starts a service.
        guard (try? await bus.owner(of: Self.name)) != nil else { return SessionState() }
        let user = "\(Self.root)/user/self"
        let state = await property("State", of: "User", at: user)?.stringValue
        var (lockedHint, idleHint): (Bool?, Bool?)
        if let display = Self.path(in: await property("Display", of: "User", at: user)) {
            lockedHint = await property("LockedHint", of: "Session", at: display)?.boolValue
            idleHint = await property("IdleHint", of: "Session", at: display)?.boolValue
        }
        return SessionState(
            user: state, seats: await seats(), lockedHint: lockedHint, idleHint: idleHint,
            isLidClosed: await isLidClosed())
    }

    /// Returns whether the lid of an undocked laptop is closed. logind sends no signal for this.
    /// But closing the lid usually locks the session or makes it idle, and logind sends a signal
    /// for that.
    private func isLidClosed() async -> Bool {
        guard await property("LidClosed", of: "Manager", at: Self.root)?.boolValue == true else { return false }
        return await property("Docked", of: "Manager", at: Self.root)?.boolValue != true
    }

    /// Returns the owner of the foreground session of each seat.
    private func seats() async -> [SessionState.Foreground] {
        let reply = try? await bus.call(
            destination: Self.name, path: Self.root, interface: "\(Self.name).Manager", member: "ListSeats")
        var seats: [SessionState.Foreground] = []
        for seat in (reply?.first?.arrayValue ?? []).prefix(Self.maximumSeats) {
            guard let path = Self.path(in: seat) else { continue }
            seats.append(await foreground(of: path))
        }
        return seats
    }

    private func foreground(of seat: String) async -> SessionState.Foreground {
        guard let session = Self.path(in: await property("ActiveSession", of: "Seat", at: seat)),
            case .structure(let user) = await property("User", of: "Session", at: session),
            let number = user.first?.integer(as: UInt32.self)
        else { return .nobody }
        if number == geteuid() { return .own }
        // The login screen's session belongs to a system user.
        let kind = await property("Class", of: "Session", at: session)?.stringValue ?? "user"
        return kind.hasPrefix("user") ? .another : .nobody
    }

    /// Returns the path in a structure of a name and a path, or nil for `/`, which stands for none.
    private static func path(in value: DBusValue?) -> String? {
        guard case .structure(let pair) = value, pair.count == 2, case .objectPath(let path) = pair[1], path != "/"
        else { return nil }
        return path
    }

    private func property(_ name: String, of interface: String, at path: String) async -> DBusValue? {
        let reply = try? await bus.call(
            destination: Self.name, path: path, interface: Self.properties, member: "Get",
            arguments: [.string("\(Self.name).\(interface)"), .string(name)])
        guard case .variant(let value) = reply?.first else { return nil }
        return value
    }
}
