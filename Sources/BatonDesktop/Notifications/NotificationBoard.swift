// SPDX-License-Identifier: Apache-2.0

public import DBus
import Diagnosis
public import Logging

/// The notifications on the user's screen, each by a key: showing one again replaces it, and it is
/// shown again by a server that comes anew.
///
/// Source: Desktop Notifications Specification 1.2.
public actor NotificationBoard {
    /// What the user did.
    public enum Event: Hashable, Sendable {
        /// An action was chosen. The token, when the server gave one, lets a window come to the
        /// front.
        case chosen(key: String, action: String, activationToken: String?)
        /// One that does not last has gone from the screen, or had no room on it, and is forgotten.
        case closed(key: String)
        /// One that lasts was taken from the screen by the user, and stays away.
        case dismissed(key: String)
    }

    /// What the user did; one consumer.
    public nonisolated let events: AsyncStream<Event>
    private nonisolated let emit: AsyncStream<Event>.Continuation

    struct Entry {
        var notification: Notification
        /// Whose wish it is: another number, and it was removed in between.
        let number: UInt64
        /// The server's id; nil while it is not on the screen.
        var id: UInt32?
        /// The user has seen it and does not want it.
        var isDismissed = false
        /// What lets a window come to the front, from the server, until an action is chosen.
        var token: String?
        /// The server did not take it; it is not asked again before this.
        var nextTry: ContinuousClock.Instant?
    }

    private let bus: DBusConnection
    private let logger: Logger
    nonisolated let inbox: Inbox
    private(set) var entries: [String: Entry] = [:]
    /// The server's connection, to which everything goes that is shown: one that comes in its place
    /// gets all anew.
    private var server: String?
    /// Nil while the server has not said it.
    private var capabilities: ServerCapabilities?
    /// How long the server may take for an answer.
    var patience = Duration.seconds(5)
    /// Until then a server that has not answered in time is asked nothing.
    private(set) var silentUntil: ContinuousClock.Instant?
    /// Something was to be shown, and there was no server that could be started.
    private var isWithoutServer = false
    private(set) var isInhibited = false
    /// Before this the bus is not asked again for a server: one that fails at once would be started
    /// without end, by each change of an offer.
    private var nextStart = ContinuousClock.now

    /// How many notifications there are at most; those beyond are not shown. Each kind has places
    /// of its own, so that none is without one for the others' sake.
    public static let maximumEntries =
        NotificationPace.maximumShown + NotificationPlan.maximumFetches + GrantQuestions.maximumShown
        + NotificationPlan.maximumFailures + Openings.maximum

    /// How long a server is let be that cannot be started, ends at once, does not answer, or does
    /// not take a notification.
    public static let pause = Duration.seconds(30)

    static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// A board on the session bus.
    public init(bus: DBusConnection, logger: Logger) {
        self.bus = bus
        self.logger = logger
        inbox = Inbox()
        (events, emit) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Shows a notification, in place of the one with the same key. One that the user dismissed
    /// stays away until it is removed or replaced.
    ///
    /// - Parameter replaced: The key of the notification whose place on the screen it takes, and
    ///   which is removed; its own for a new one under the same key.
    public nonisolated func show(_ notification: Notification, key: String, replacing replaced: String? = nil) {
        let hasRoom = inbox.put { $0.show(notification, key: key, replacing: replaced) }
        if !hasRoom, !notification.isLasting { emit.yield(.closed(key: key)) }
    }

    /// Takes a notification away; nothing happens when there is none.
    public nonisolated func remove(key: String) { inbox.put { $0.remove(key: key) } }

    /// Tells that there is no server, nor one that could be started, as far as is known: asked of
    /// the bus while there was nothing to be shown yet.
    var finding: Finding? {
        get async {
            if !isWithoutServer {
                guard server == nil, (try? await bus.owner(of: Self.name)) == nil,
                    (try? await bus.isActivatable(Self.name)) == false
                else { return nil }
            }
            return Finding(
                .noNotifications,
                "this session has no notification server, so that offers are not shown: start one (a desktop has its own, "
                    + "else dunst or mako), or put 'notifications = off' into baton.conf; 'baton open' continues what 'baton nearby' lists"
            )
        }
    }

    /// Brings the screen to what is asked for, again and again, until the task is cancelled; then
    /// takes all away.
    public func run() async {
        let watches = await watches()
        for await _ in inbox.wakeUps { await settle() }
        watches?.signals.cancel()
        watches?.owners.cancel()
        emit.finish()
        // In a task of its own, as this one is cancelled.
        await Task { await clear() }.value
    }

    private func watches() async -> (signals: DBusSubscription, owners: Task<Void, Never>)? {
        let match = DBusMatch(sender: Self.name, path: Self.path)
        // Kept by the connection's own thread: what the server says counts before what is asked of
        // it afterwards.
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

    /// Gives a new notification the place on the screen of the one that it replaces.
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
        // One that is still to be taken away comes after that.
        if let old, old.isDismissed || old.number != wish.number { return }
        if let old, old.notification == wish.notification {
            guard old.id == nil || old.nextTry != nil, old.nextTry.map({ $0 <= .now }) ?? true else { return }
        } else {
            entries[key] = Entry(notification: wish.notification, number: wish.number, id: old?.id, token: old?.token)
        }
        await put(key)
    }

    /// Puts what is to be shown on the screen.
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

    /// Has a server started that can be; it shows what there is once it is there.
    private func startServer(for key: String, _ entry: Entry) async {
        // One that runs already, and of which nobody has told yet, need not be one that the bus can
        // start.
        if .now >= nextStart {
            nextStart = .now + Self.pause
            guard await !bus.startService(Self.name), (try? await bus.owner(of: Self.name)) == nil else { return }
            isWithoutServer = true
        }
        // News of now is none later on.
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

    /// Takes all away at once, from a server that may be hanging.
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

    /// Forgets one that does not last, and that has been or cannot be on the screen.
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
            // One that went by itself has been seen as well: it would only come again and again.
            entries[key]?.isDismissed = true
            emit.yield(.dismissed(key: key))
        }
    }

    /// What the server says that it can do; all where it says nothing.
    private func serverCapabilities() async -> ServerCapabilities {
        if let capabilities { return capabilities }
        guard let names = try? await call("GetCapabilities").first?.stringsValue else { return ServerCapabilities() }
        let said = ServerCapabilities(names)
        capabilities = said
        return said
    }

    /// Whether the session has asked for quiet; servers without the property are never quiet in
    /// this way.
    private func readInhibition() async {
        let reply = try? await call(
            "Get", [.string(Self.name), .string("Inhibited")], interface: "org.freedesktop.DBus.Properties")
        isInhibited = if case .variant(.bool(true)) = reply?.first { true } else { false }
    }

    private var isSilent: Bool { silentUntil.map { .now < $0 } ?? false }

    /// Asks the server; one that does not answer in time is asked nothing for a while, for whatever
    /// is told meanwhile would wait for it.
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
