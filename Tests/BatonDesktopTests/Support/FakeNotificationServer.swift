// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Synchronization

/// A fake notification server on a test's bus, which records its calls and acts for the user.
final class FakeNotificationServer: Sendable {
    struct Shown: Hashable, Sendable {
        var id: UInt32
        var replaced: UInt32
        var icon: String
        var summary: String
        var body: String
        var actions: [String]
        /// The milliseconds until the notification closes by itself, 0 for never, or -1 to let the
        /// server choose.
        var expires: Int32
        /// Whether no list may show the notification afterwards.
        var isTransient: Bool
    }

    enum Event: Hashable, Sendable {
        case shown(Shown)
        case closed(UInt32)
    }

    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"

    let connection: DBusConnection
    let events: AsyncStream<Event>
    private let emit: AsyncStream<Event>.Continuation
    private let lastID = Atomic<UInt32>(0)
    private let inhibited = Mutex(false)
    private let hold = Mutex<Task<Void, Never>?>(nil)
    /// The number of calls to show or close a notification.
    let callCount = Watched(0)

    /// Makes the server answer no call until a task has ended.
    func hang(until task: Task<Void, Never>) { hold.withLock { $0 = task } }

    private func answer() async {
        callCount.change { $0 += 1 }
        await hold.withLock { $0 }?.value
    }

    /// Takes the name at once.
    init(bus address: String, capabilities: [String] = ["actions", "body", "body-markup"]) async throws {
        connection = try await .open(address: address)
        (events, emit) = AsyncStream.makeStream()
        let notify = DBusMethod(
            "Notify",
            inputs: ["s", "u", "s", "s", "s", "as", "a{sv}", "i"].enumerated().map {
                DBusArgument("a\($0.offset)", $0.element)
            },
            outputs: [DBusArgument("id", "u")]
        ) { [weak self] call in
            guard let self else { return [.uint32(0)] }
            await answer()
            let arguments = call.arguments
            let replaced = arguments[1].integer(as: UInt32.self) ?? 0
            let id = replaced != 0 ? replaced : lastID.add(1, ordering: .relaxed).newValue
            emit.yield(
                .shown(
                    Shown(
                        id: id, replaced: replaced, icon: arguments[2].stringValue ?? "",
                        summary: arguments[3].stringValue ?? "", body: arguments[4].stringValue ?? "",
                        actions: arguments[5].stringsValue ?? [],
                        expires: arguments[7].integer(as: Int32.self) ?? 0,
                        isTransient: arguments[6].propertiesValue?["transient"]?.boolValue ?? false)))
            return [.uint32(id)]
        }
        let close = DBusMethod("CloseNotification", inputs: [DBusArgument("id", "u")]) { [weak self] call in
            await self?.answer()
            self?.emit.yield(.closed(call.arguments[0].integer(as: UInt32.self) ?? 0))
            return []
        }
        let list = DBusMethod("GetCapabilities", outputs: [DBusArgument("capabilities", "as")]) { _ in
            [.strings(capabilities)]
        }
        let quiet = DBusProperty(
            "Inhibited", "b", get: { [weak self] in .bool(self?.inhibited.withLock { $0 } ?? false) })
        try connection.export(
            DBusObject(interfaces: [DBusInterface(Self.name, methods: [notify, close, list], properties: [quiet])]),
            at: Self.path)
        _ = try await connection.requestName(Self.name)
    }

    /// Returns the next event.
    func next() async -> Event? {
        for await event in events { return event }
        return nil
    }

    /// Returns the next notification that fulfils a condition. It ignores earlier events.
    func nextShown(where isWanted: (Shown) -> Bool = { _ in true }) async -> Shown? {
        for await event in events { if case .shown(let shown) = event, isWanted(shown) { return shown } }
        return nil
    }

    /// Returns the next closed notification. Shown notifications are skipped.
    func nextClosed() async -> UInt32? {
        for await event in events { if case .closed(let id) = event { return id } }
        return nil
    }

    /// Clicks an action of a notification.
    func choose(_ action: String, of id: UInt32, token: String? = nil) throws {
        if let token { try give(token, to: id) }
        try signal("ActionInvoked", [.uint32(id), .string(action)])
    }

    /// Sends the token that lets a window come to the front.
    func give(_ token: String, to id: UInt32) throws { try signal("ActivationToken", [.uint32(id), .string(token)]) }

    /// Closes a notification as the user.
    func dismiss(_ id: UInt32) throws { try signal("NotificationClosed", [.uint32(id), .uint32(2)]) }

    /// Ends a notification's time on the screen.
    func expire(_ id: UInt32) throws { try signal("NotificationClosed", [.uint32(id), .uint32(1)]) }

    /// Switches the session's do-not-disturb mode on or off.
    func inhibit(_ isQuiet: Bool) throws {
        inhibited.withLock { $0 = isQuiet }
        try connection.emit(
            path: Self.path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            arguments: [.string(Self.name), .properties(["Inhibited": .bool(isQuiet)]), .strings([])])
    }

    private func signal(_ member: String, _ arguments: [DBusValue]) throws {
        try connection.emit(path: Self.path, interface: Self.name, member: member, arguments: arguments)
    }
}
