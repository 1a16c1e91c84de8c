// SPDX-License-Identifier: Apache-2.0

public import DBus
import Glibc

/// Follows ``SessionState`` on the system bus.
public struct SessionWatch: Sendable {
    private let bus: DBusConnection

    private static let name = "org.freedesktop.login1"
    private static let root = "/org/freedesktop/login1"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// Seats that are looked at; a laptop has one.
    private static let maximumSeats = 16

    /// A watch on the system bus.
    public init(systemBus bus: DBusConnection) { self.bus = bus }

    /// Says how it is, and then each change, until the task is cancelled or the bus goes.
    public func run(_ changed: @Sendable (SessionState) async -> Void) async {
        let match = DBusMatch(sender: Self.name, pathNamespace: Self.root, interface: Self.properties)
        // A logind that comes, or comes anew, is asked as well.
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
        // Without logind there is nothing to ask; a call would wait for whoever is started by it.
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

    /// logind tells of no change of it; a lid that closes has the session locked, or idle, as a
    /// rule.
    private func isLidClosed() async -> Bool {
        guard await property("LidClosed", of: "Manager", at: Self.root)?.boolValue == true else { return false }
        return await property("Docked", of: "Manager", at: Self.root)?.boolValue != true
    }

    /// Who is in the foreground of each seat.
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
        // A login screen is a session of a user that is nobody.
        let kind = await property("Class", of: "Session", at: session)?.stringValue ?? "user"
        return kind.hasPrefix("user") ? .another : .nobody
    }

    /// The path in a structure of a name and a path; nil for `/`, which is none.
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
