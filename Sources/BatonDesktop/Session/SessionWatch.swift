// SPDX-License-Identifier: Apache-2.0

public import DBus

/// Whether the user sits at the screen, as logind knows it.
///
/// Source: org.freedesktop.login1(5). Where there is no logind, or the user has no session there, the user counts as present: only another
/// user's session in the foreground makes a difference.
public struct SessionState: Hashable, Sendable {
    /// Whether the user's session is in the foreground.
    public var isActive = true
    /// Whether its screen is locked.
    public var isLocked = false

    /// A session in the foreground.
    public init(isActive: Bool = true, isLocked: Bool = false) {
        self.isActive = isActive
        self.isLocked = isLocked
    }

    /// What logind's properties mean.
    ///
    /// - Parameters:
    ///   - user: `State` of the user: `online` is a user with sessions none of which is in the foreground.
    ///   - lockedHint: `LockedHint` of the user's graphical session.
    init(user: String?, lockedHint: Bool?) {
        self.init(isActive: user != "online", isLocked: lockedHint ?? false)
    }
}

/// Follows ``SessionState`` on the system bus.
public struct SessionWatch: Sendable {
    private let bus: DBusConnection

    private static let name = "org.freedesktop.login1"
    private static let user = "/org/freedesktop/login1/user/self"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// A watch on the system bus.
    public init(systemBus bus: DBusConnection) { self.bus = bus }

    /// Says how it is, and then each change, until the task is cancelled or the bus goes.
    public func run(_ changed: @Sendable (SessionState) async -> Void) async {
        let match = DBusMatch(sender: Self.name, pathNamespace: "/org/freedesktop/login1", interface: Self.properties)
        guard let signals = try? await bus.signals(matching: match, buffer: 64) else { return }
        var state = await read()
        await changed(state)
        for await _ in signals {
            let new = await read()
            guard new != state else { continue }
            state = new
            await changed(new)
        }
    }

    private func read() async -> SessionState {
        let state = await property("State", of: "org.freedesktop.login1.User", at: Self.user)?.stringValue
        var lockedHint: Bool?
        if case .structure(let display) = await property("Display", of: "org.freedesktop.login1.User", at: Self.user),
            display.count == 2, case .objectPath(let path) = display[1], path != "/"
        {
            lockedHint = await property("LockedHint", of: "org.freedesktop.login1.Session", at: path)?.boolValue
        }
        return SessionState(user: state, lockedHint: lockedHint)
    }

    private func property(_ name: String, of interface: String, at path: String) async -> DBusValue? {
        let reply = try? await bus.call(
            destination: Self.name, path: path, interface: Self.properties, member: "Get",
            arguments: [.string(interface), .string(name)])
        guard case .variant(let value) = reply?.first else { return nil }
        return value
    }
}
