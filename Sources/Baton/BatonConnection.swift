// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import UserActivity

/// A program's connection to the daemon: it carries the program's activities, and brings those of other devices.
///
/// Give it to ``UserActivity`` as host. Everything that activities do, and all that the daemon says about them, is carried
/// out one after the other in the order in which it happened; the delegates are called from there. An activity is kept
/// alive from when it first becomes current until it is invalidated.
public actor BatonConnection: UserActivityHost {
    /// The daemon's session-bus interface, for what is not about activities.
    public nonisolated let bus: BatonBusClient

    enum Command: Sendable {
        case becameCurrent(UserActivity)
        case resigned(UserActivity)
        case changed(UserActivity)
        case invalidated(UserActivity)
        case event(ActivityEvent)
        case presence(Bool)
    }

    struct Publication {
        let activity: UserActivity
        var identifier: String?
    }

    nonisolated let commands: AsyncStream<Command>.Continuation
    nonisolated let changes = PendingChanges()
    nonisolated let observers = PublicationObservers()
    nonisolated let streams = StreamOutcomes()
    var publications: [ObjectIdentifier: Publication] = [:]
    private var tasks: [Task<Void, Never>] = []

    private init(bus: BatonBusClient, commands: AsyncStream<Command>.Continuation) {
        self.bus = bus
        self.commands = commands
    }

    /// Connects to the daemon; it need not be running yet.
    ///
    /// - Parameter address: The message bus's address; nil for the session bus.
    /// - Returns: The connection, which ``close()`` ends.
    /// - Throws: ``BatonBusError`` with `busUnavailable` when there is no such bus.
    public static func open(address: String? = nil) async throws -> BatonConnection {
        let bus = try await BatonBusClient.connect(address: address)
        let (stream, commands) = AsyncStream.makeStream(of: Command.self)
        let connection = BatonConnection(bus: bus, commands: commands)
        do {
            try await connection.start(commands: stream)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private func start(commands stream: AsyncStream<Command>) async throws {
        let events = try await bus.activityEvents()
        let presence = try await bus.daemonPresence()
        let commands = commands
        tasks = [
            Task { for await event in events { commands.yield(.event(event)) } },
            Task {
                for await isThere in presence { commands.yield(.presence(isThere)) }
                commands.yield(.presence(false))
            },
            Task { [weak self] in for await command in stream { await self?.carryOut(command) } },
        ]
    }

    /// Ends the connection: the daemon forgets the program's activities, and all event streams finish.
    public func close() async {
        commands.finish()
        bus.close()
        for task in tasks { task.cancel() }
        tasks = []
        publications = [:]
        observers.finishAll()
        streams.failAll(BatonBusError(.busUnavailable, "the connection to the daemon was closed"))
    }

    /// What happens to an activity from now on. Ask before it becomes current to see all of it.
    public nonisolated func events(of activity: UserActivity) -> AsyncStream<PublicationEvent> {
        observers.stream(for: ObjectIdentifier(activity))
    }

    /// Waits until a pair of streams has ended.
    ///
    /// - Parameter streams: Streams that a delegate or ``Continuation/openStreams()`` got.
    /// - Throws: ``BatonBusError`` when they broke: what was read is then not all that was sent, or the other way round.
    public nonisolated func waitForEnd(of streams: ContinuationStreams) async throws {
        try await self.streams.outcome(of: streams.identifier)
    }

    /// Publishes the activity, unless it is already, and makes it current.
    public nonisolated func activityBecameCurrent(_ activity: UserActivity) { commands.yield(.becameCurrent(activity)) }
    /// Tells the daemon to offer the activity no more.
    public nonisolated func activityResignedCurrent(_ activity: UserActivity) { commands.yield(.resigned(activity)) }
    /// Ends the activity at the daemon.
    public nonisolated func activityInvalidated(_ activity: UserActivity) { commands.yield(.invalidated(activity)) }

    /// Tells the daemon of the change, and of all others until then.
    public nonisolated func activityChanged(_ activity: UserActivity) {
        if changes.insert(ObjectIdentifier(activity)) { commands.yield(.changed(activity)) }
    }
}
