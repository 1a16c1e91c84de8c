// SPDX-License-Identifier: Apache-2.0

public import DBus
public import Logging

/// The notifications on the user's screen, each by a key: showing one again replaces it, and it is shown again by a server that comes anew.
///
/// Source: Desktop Notifications Specification 1.2.
public actor NotificationBoard {
    /// What the user did.
    public enum Event: Hashable, Sendable {
        /// An action was chosen. The token, when the server gave one, lets a window come to the front.
        case chosen(key: String, action: String, activationToken: String?)
        /// One that does not last has gone from the screen, and is forgotten.
        case closed(key: String)
        /// One that lasts was taken from the screen by the user, and stays away.
        case dismissed(key: String)
    }

    /// What the user did; one consumer.
    public nonisolated let events: AsyncStream<Event>
    private let emit: AsyncStream<Event>.Continuation

    private enum Command: Sendable {
        case show(Notification, key: String)
        case remove(key: String)
        case signal(DBusSignal)
        case server(owner: String?)
        case inhibition
    }

    struct Entry {
        var notification: Notification
        /// The server's id; nil while it is not on the screen.
        var id: UInt32?
        /// The user has seen it and does not want it.
        var isDismissed = false
    }

    private let bus: DBusConnection
    private let logger: Logger
    private let commands: AsyncStream<Command>
    private nonisolated let command: AsyncStream<Command>.Continuation
    private(set) var entries: [String: Entry] = [:]
    private var tokens: [UInt32: String] = [:]
    /// The server's connection, to which everything goes that is shown: one that comes in its place gets all anew.
    private var server: String?
    private var hasMarkup: Bool?
    /// Something was to be shown, and there was no server that could be started.
    private(set) var isWithoutServer = false
    private(set) var isInhibited = false
    /// Before this the bus is not asked again for a server: one that fails at once would be started without end, by each change of an offer.
    private var nextStart = ContinuousClock.now

    /// How many notifications there are at most; those beyond are not shown.
    public static let maximumEntries = 32

    /// How long a server that cannot be started, or ends at once, is let be.
    public static let pauseBetweenStarts = Duration.seconds(30)

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// The user closed it: the second of the reasons in the specification's table.
    private static let dismissed: UInt32 = 2

    /// A board on the session bus.
    public init(bus: DBusConnection, logger: Logger) {
        self.bus = bus
        self.logger = logger
        (events, emit) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        (commands, command) = AsyncStream.makeStream()
    }

    /// Shows a notification, in place of the one with the same key. One that the user dismissed stays away until it is removed.
    public nonisolated func show(_ notification: Notification, key: String) {
        command.yield(.show(notification, key: key))
    }

    /// Takes a notification away; nothing happens when there is none.
    public nonisolated func remove(key: String) { command.yield(.remove(key: key)) }

    /// Does what was asked for, one after the other, until the task is cancelled; then takes all away.
    public func run() async {
        let watches = await watches()
        for await command in commands { await carryOut(command) }
        for watch in watches { watch.cancel() }
        emit.finish()
        // In a task of its own, as this one is cancelled.
        await Task { for key in entries.keys { await remove(key) } }.value
    }

    private func watches() async -> [Task<Void, Never>] {
        let match = DBusMatch(sender: Self.name, path: Self.path)
        // Queued by the connection's own thread: what the server says counts before what is asked of it afterwards.
        let signals = try? await bus.signals(matching: match) { [command] signal -> Never? in
            command.yield(signal.interface == Self.name ? .signal(signal) : .inhibition)
            return nil
        }
        guard let signals, let owners = try? await bus.nameOwnerChanges(of: Self.name) else { return [] }
        if let owner = try? await bus.owner(of: Self.name) { await serverChanged(owner) }
        return [
            Task { for await _ in signals {} },
            Task { [command] in for await change in owners { command.yield(.server(owner: change.newOwner)) } },
        ]
    }

    private func carryOut(_ command: Command) async {
        switch command {
        case .show(let notification, let key): await show(notification, key)
        case .remove(let key): await remove(key)
        case .signal(let signal): received(signal)
        case .server(let owner): await serverChanged(owner)
        case .inhibition:
            await readInhibition()
            await showAll()
        }
    }

    private func serverChanged(_ owner: String?) async {
        guard owner != server else { return }
        server = owner
        hasMarkup = nil
        tokens = [:]
        for key in entries.keys { entries[key]?.id = nil }
        if owner != nil {
            isWithoutServer = false
            await readInhibition()
        }
        // By another one that can be started, where this one has gone.
        await showAll()
    }

    private func show(_ notification: Notification, _ key: String) async {
        guard entries[key] != nil || entries.count < Self.maximumEntries else { return }
        let old = entries[key]
        if let old, old.isDismissed || (old.notification == notification && old.id != nil) { return }
        entries[key] = Entry(notification: notification, id: old?.id)
        await put(key)
    }

    private func showAll() async {
        for (key, entry) in entries where entry.id == nil && !entry.isDismissed { await put(key) }
    }

    /// Puts what is to be shown on the screen.
    private func put(_ key: String) async {
        guard !isInhibited, let entry = entries[key] else { return }
        guard server != nil else { return await startServer(for: key, entry) }
        do {
            let arguments = entry.notification.arguments(replacing: entry.id ?? 0, hasMarkup: await takesMarkup())
            entries[key]?.id = try await call("Notify", arguments).first?.integer(as: UInt32.self)
        } catch {
            logger.debug("no notification is shown: \(error)")
        }
    }

    /// Has a server started that can be; it shows what there is once it is there.
    private func startServer(for key: String, _ entry: Entry) async {
        // One that runs already, and of which nobody has told yet, need not be one that the bus can start.
        if .now >= nextStart {
            nextStart = .now + Self.pauseBetweenStarts
            guard await !bus.startService(Self.name), (try? await bus.owner(of: Self.name)) == nil else { return }
            isWithoutServer = true
        }
        guard isWithoutServer else { return }
        guard !entry.notification.isLasting else { return }
        // News of now is none later on.
        entries[key] = nil
        emit.yield(.closed(key: key))
    }

    private func remove(_ key: String) async {
        guard let id = entries.removeValue(forKey: key)?.id else { return }
        _ = try? await call("CloseNotification", [.uint32(id)])
    }

    private func received(_ signal: DBusSignal) {
        guard let id = signal.arguments.first?.integer(as: UInt32.self),
            let key = entries.first(where: { $0.value.id == id })?.key
        else { return }
        switch signal.member {
        case "ActivationToken": tokens[id] = signal.arguments.last?.stringValue
        case "ActionInvoked":
            guard let action = signal.arguments.last?.stringValue,
                entries[key]?.notification.actions.contains(where: { $0.key == action }) == true
            else { return }
            emit.yield(.chosen(key: key, action: action, activationToken: tokens.removeValue(forKey: id)))
        case "NotificationClosed":
            tokens[id] = nil
            if entries[key]?.notification.isLasting == true {
                entries[key]?.id = nil
                // One that went by itself has been seen as well: it would only come again and again.
                entries[key]?.isDismissed = true
                emit.yield(.dismissed(key: key))
            } else {
                entries[key] = nil
                emit.yield(.closed(key: key))
            }
        default: break
        }
    }

    private func takesMarkup() async -> Bool {
        if let hasMarkup { return hasMarkup }
        guard let capabilities = try? await call("GetCapabilities").first?.stringsValue else { return true }
        hasMarkup = capabilities.contains("body-markup")
        return capabilities.contains("body-markup")
    }

    /// Whether the session has asked for quiet; servers without the property are never quiet in this way.
    private func readInhibition() async {
        let reply = try? await bus.call(
            destination: server ?? Self.name, path: Self.path, interface: "org.freedesktop.DBus.Properties",
            member: "Get",
            arguments: [.string(Self.name), .string("Inhibited")])
        isInhibited = if case .variant(.bool(true)) = reply?.first { true } else { false }
    }

    private func call(_ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        try await bus.call(
            destination: server ?? Self.name, path: Self.path, interface: Self.name, member: member,
            arguments: arguments)
    }
}
