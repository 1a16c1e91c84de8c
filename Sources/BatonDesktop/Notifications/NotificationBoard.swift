// SPDX-License-Identifier: Apache-2.0

public import DBus
import Diagnosis
public import Logging

/// Shows notifications on the user's screen. Each notification has a key, and showing a key again
/// replaces its notification. After a restart of the notification server, the board shows its
/// notifications again.
///
/// Source: Desktop Notifications Specification 1.2.
public actor NotificationBoard {
    /// A user's action on a notification.
    public enum Event: Hashable, Sendable {
        /// The user chose an action. The token, if the server sent one, lets a window come to the
        /// front.
        case chosen(key: String, action: String, activationToken: String?)
        /// A temporary notification left the screen, or there was no room for it. The board has
        /// forgotten the notification.
        case closed(key: String)
        /// The user dismissed a lasting notification, which stays hidden.
        case dismissed(key: String)
    }

    /// The user's actions, for one consumer.
    public nonisolated let events: AsyncStream<Event>
    private nonisolated let emit: AsyncStream<Event>.Continuation

    struct Entry {
        var notification: Notification
        /// The number of the wish. A different number means that the notification was removed in
        /// between.
        let number: UInt64
        /// The id at the server, or nil while the notification is not on the screen.
        var id: UInt32?
        var isDismissed = false
        /// The activation token from the server until an action is chosen, or nil.
        var token: String?
        /// The time before which the notification is not sent again, because the server refused it;
        /// nil if it did not.
        var nextTry: ContinuousClock.Instant?
    }

    private let bus: DBusConnection
    private let logger: Logger
    nonisolated let inbox: Inbox
    private(set) var entries: [String: Entry] = [:]
    /// The bus connection of the notification server, which receives all calls; nil if no server
    /// runs. A new server receives all notifications again.
    private var server: String?
    /// The server's capabilities, or nil before it has reported them.
    private var capabilities: ServerCapabilities?
    /// The time limit for the server's answers.
    var patience = Duration.seconds(5)
    /// The time before which the server is not called, because it did not answer in time; nil if it
    /// has answered so far.
    private(set) var silentUntil: ContinuousClock.Instant?
    /// Whether a notification could not be shown because no server could be started.
    private var isWithoutServer = false
    private(set) var isInhibited = false
    /// The time before which the bus is not asked to start a server. Without this pause, each
    /// change of an offer would start a server that fails at once.
    private var nextStart = ContinuousClock.now

    /// The maximum number of notifications. More are not shown. Each kind has its own share, so
    /// that no kind can use up the places of another.
    public static let maximumEntries =
        NotificationPace.maximumShown + NotificationPlan.maximumFetches + GrantQuestions.maximumShown
        + NotificationPlan.maximumFailures + Openings.maximum

    /// How long the board waits after the server has failed. A server fails if it cannot be
    /// started, ends at once, does not answer, or refuses a notification.
    public static let pause = Duration.seconds(30)

    static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// Creates a board on the session bus.
    public init(bus: DBusConnection, logger: Logger) {
        self.bus = bus
        self.logger = logger
        inbox = Inbox()
        (events, emit) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Shows a notification in place of the one with the same key. A notification that the user
    /// dismissed stays hidden until it is removed or replaced.
    ///
    /// - Parameter replaced: The key of a notification to remove, whose place on the screen the new
    ///   one takes. If this is the notification's own key, the notification counts as new.
    public nonisolated func show(_ notification: Notification, key: String, replacing replaced: String? = nil) {
        let hasRoom = inbox.put { $0.show(notification, key: key, replacing: replaced) }
        if !hasRoom, !notification.isLasting { emit.yield(.closed(key: key)) }
    }

    /// Removes a notification. Does nothing if there is none with this key.
    public nonisolated func remove(key: String) { inbox.put { $0.remove(key: key) } }

    /// The finding that there is no notification server and none can be started, or nil.
    ///
    /// Asks the bus even if a server is known, because that server may just have left.
    var finding: Finding? {
        get async {
            if !isWithoutServer {
                guard (try? await bus.owner(of: Self.name)) == nil,
                    (try? await bus.isActivatable(Self.name)) == false
                else { return nil }
            }
            return Finding(.noNotifications)
        }
    }

    /// Updates the screen after each change. Removes all notifications when the task is cancelled.
    public func run() async {
        let watches = await watches()
        for await _ in inbox.wakeUps { await settle() }
        watches?.signals.cancel()
        watches?.owners.cancel()
        emit.finish()
        // Use a separate task, because this one is cancelled.
        await Task { await clear() }.value
    }

    private func watches() async -> (signals: DBusSubscription, owners: Task<Void, Never>)? {
        let match = DBusMatch(sender: Self.name, path: Self.path)
        // The connection's own thread stores the signals, so that they are processed before later
        // requests.
        let signals = try? await bus.onSignal(matching: match) { [inbox] signal in
            inbox.put { $0.received(signal) }
        }
        guard let signals, let owners = try? await bus.nameOwnerChanges(of: Self.name) else { return nil }
        if let owner = try? await bus.owner(of: Self.name) { await serverChanged(owner) }
        let changes = Task { [inbox] in
            for await change in owners { inbox.put { $0.serverChanged(change.newOwner) } }
        }
        return (signals, changes)
    }

    private func settle() async {
        let news = inbox.takeNews()
        for signal in news.signals where signal.sender == server { received(signal) }
        if let owner = news.owner { await serverChanged(owner) }
        if news.mayBeInhibited { await readInhibition() }
        let wishes = inbox.wishes
        for (key, wish) in wishes { takePlace(key, wish) }
        for (key, entry) in entries where wishes[key]?.number != entry.number { await remove(key) }
        for (key, wish) in wishes.sorted(by: { $0.value.number < $1.value.number }) { await show(wish, key) }
    }

    /// Gives a new notification the screen place of the one that it replaces.
    private func takePlace(_ key: String, _ wish: NotificationInbox.Wish) {
        guard let replaced = wish.replaced else { return }
        inbox.placed(key, wish.number)
        guard let former = entries.removeValue(forKey: replaced) else { return }
        entries[key] = Entry(notification: former.notification, number: wish.number, id: former.id)
    }

    private func serverChanged(_ owner: String?) async {
        guard owner != server else { return }
        server = owner
        capabilities = nil
        silentUntil = nil
        for key in entries.keys {
            entries[key]?.id = nil
            entries[key]?.token = nil
            entries[key]?.nextTry = nil
        }
        guard owner != nil else { return }
        isWithoutServer = false
        await readInhibition()
    }

    private func show(_ wish: NotificationInbox.Wish, _ key: String) async {
        let old = entries[key]
        // A notification that waits for its removal is shown again after the removal.
        if let old, old.isDismissed || old.number != wish.number { return }
        if let old, old.notification == wish.notification {
            guard old.id == nil || old.nextTry != nil, old.nextTry.map({ $0 <= .now }) ?? true else { return }
        } else {
            entries[key] = Entry(notification: wish.notification, number: wish.number, id: old?.id, token: old?.token)
        }
        await put(key)
    }

    private func put(_ key: String) async {
        guard !isInhibited, !isSilent, let entry = entries[key] else { return }
        guard server != nil else { return await startServer(for: key, entry) }
        let capabilities = await serverCapabilities()
        do {
            let arguments = entry.notification.arguments(replacing: entry.id ?? 0, on: capabilities)
            entries[key]?.id = try await call("Notify", arguments).first?.integer(as: UInt32.self)
            entries[key]?.nextTry = nil
        } catch {
            entries[key]?.nextTry = isSilent ? .now : .now + Self.pause
            logger.debug("no notification is shown: \(error)")
        }
    }

    /// Asks the bus to start a server. The new server then receives all notifications.
    private func startServer(for key: String, _ entry: Entry) async {
        // If the bus cannot start a server, one may still be running whose arrival was not reported
        // yet.
        if .now >= nextStart {
            nextStart = .now + Self.pause
            guard await !bus.startService(Self.name), (try? await bus.owner(of: Self.name)) == nil else { return }
            isWithoutServer = true
        }
        // Drop a temporary notification, because it would be out of date when a server starts.
        guard isWithoutServer, !entry.notification.isLasting else { return }
        forget(key)
    }

    private func remove(_ key: String) async {
        if let id = entries[key]?.id {
            guard !isSilent else { return }
            _ = try? await call("CloseNotification", [.uint32(id)])
            guard !isSilent, !Task.isCancelled else { return }
        }
        entries[key] = nil
    }

    /// Removes all notifications in parallel, because the server may hang.
    private func clear() async {
        await withDiscardingTaskGroup { group in
            for id in entries.values.compactMap(\.id) {
                group.addTask {
                    _ = try? await self.call("CloseNotification", [.uint32(id)], timeout: .seconds(1))
                }
            }
        }
        entries = [:]
    }

    /// Forgets a temporary notification that has left the screen or could not be shown.
    private func forget(_ key: String) {
        guard let notification = entries.removeValue(forKey: key)?.notification else { return }
        inbox.forget(notification, key: key)
        emit.yield(.closed(key: key))
    }

    private func received(_ signal: NotificationInbox.Signal) {
        guard let (key, entry) = entries.first(where: { $0.value.id == signal.id }) else { return }
        switch signal.member {
        case "ActivationToken": entries[key]?.token = signal.text
        case "ActionInvoked":
            guard let action = signal.text, entry.notification.actions.contains(where: { $0.key == action }) else {
                return
            }
            entries[key]?.token = nil
            emit.yield(.chosen(key: key, action: action, activationToken: entry.token))
        default:
            guard entry.notification.isLasting else { return forget(key) }
            entries[key]?.id = nil
            entries[key]?.token = nil
            // The notification counts as dismissed even if the server closed it without the user.
            // Otherwise a notification that the user has seen would come back again and again.
            entries[key]?.isDismissed = true
            emit.yield(.dismissed(key: key))
        }
    }

    /// Returns the capabilities that the server reports, or all of them if it does not answer.
    private func serverCapabilities() async -> ServerCapabilities {
        if let capabilities { return capabilities }
        guard let names = try? await call("GetCapabilities").first?.stringsValue else { return ServerCapabilities() }
        let said = ServerCapabilities(names)
        capabilities = said
        return said
    }

    /// Reads whether the session has turned notifications off. A server without this property never
    /// reports that.
    private func readInhibition() async {
        let reply = try? await call(
            "Get", [.string(Self.name), .string("Inhibited")], interface: "org.freedesktop.DBus.Properties")
        isInhibited = if case .variant(.bool(true)) = reply?.first { true } else { false }
    }

    private var isSilent: Bool { silentUntil.map { .now < $0 } ?? false }

    /// Calls the server. A server that does not answer in time is not called for a while. Otherwise
    /// everything reported in the meantime would have to wait for the server.
    private func call(
        _ member: String, _ arguments: [DBusValue] = [], interface: String = name, timeout: Duration? = nil
    ) async throws -> [DBusValue] {
        guard !isSilent || timeout != nil else {
            throw DBusError(name: DBusError.noReply, message: "the notification server hangs")
        }
        do {
            return try await bus.call(
                destination: server ?? Self.name, path: Self.path, interface: interface, member: member,
                arguments: arguments, timeout: timeout ?? patience)
        } catch let error as DBusError where error.name == DBusError.noReply {
            beSilent()
            throw error
        }
    }

    private func beSilent() {
        let end = ContinuousClock.now + Self.pause
        silentUntil = end
        Task { [inbox] in
            try? await Task.sleep(until: end)
            inbox.wakeUp()
        }
    }
}
