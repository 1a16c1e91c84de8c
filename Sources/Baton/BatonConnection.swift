// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Foundation
public import UserActivity

/// A program's connection to the daemon: it carries the program's activities, and brings those of
/// other devices.
///
/// Give it to ``UserActivity`` as host, or set it as `UserActivity.defaultHost`. Everything that an
/// activity does, and all that the daemon says about it, is carried out one after the other in the
/// order in which it happened; activities do not wait for each other. When the daemon ends and
/// comes back, all that was published is published again; when the bus ends, it fails.
public actor BatonConnection: UserActivityHost {
    /// The daemon's session-bus interface, for what is not about activities.
    public nonisolated let bus: BatonBusClient
    /// Where the delegates of activities are called.
    public nonisolated let callbackDelivery: CallbackDelivery
    /// Whether activities outlive the daemon. None outlives the bus.
    public nonisolated let reattaches: Bool
    /// Whose apps may continue this one's activities; nil: the daemon decides by the program.
    public nonisolated let team: String?
    /// The app's id, the name of its desktop entry; nil: the daemon finds it out, which it can for
    /// Flatpaks, snaps and what the desktop has started.
    public nonisolated let application: String?
    /// The folders that other devices have too: a document's file in one travels as its place
    /// there.
    public nonisolated let sharedFolders: SharedFolders
    private nonisolated let warn: @Sendable (String) -> Void
    /// What saved activities were warned about last.
    var storeWarning: String?

    enum Command: Sendable {
        case becameCurrent(UserActivity)
        case resigned(UserActivity)
        case changed(UserActivity)
        case invalidated(UserActivity)
        case released(UserActivity.Identity)
        case event(ActivityEvent)
        case presence(Bool)
        /// The bus itself has gone: this connection is of no more use.
        case busEnded
        /// Told when all that was asked before is done.
        case settle(CheckedContinuation<Void, Never>)
    }

    struct Publication {
        /// It is the app that keeps an activity alive.
        weak var activity: UserActivity?
        /// The higher, the later it was published.
        let number: UInt64
        /// Its name at the daemon; nil while it is not there.
        var identifier: String?
        /// The daemon did not want its contents.
        var isRefused = false
        /// The daemon could not be told how it is, and is told again.
        var isBehind = false
        /// The daemon was told last that it is the app's current one.
        var isOffered = false
    }

    nonisolated let commands: AsyncStream<Command>.Continuation
    nonisolated let changes = PendingChanges()
    nonisolated let observers = PublicationObservers()
    nonisolated let streams = StreamOutcomes()
    var publications: [UserActivity.Identity: Publication] = [:]
    var publishCount: UInt64 = 0
    /// Warnings of activities whose names at the daemon are still on their way here.
    var earlyWarnings = EarlyWarnings()
    /// What was asked of each activity last, and is done after what was asked before.
    var work: [UserActivity.Identity: (number: Int, task: Task<Void, Never>)] = [:]
    var workCount = 0
    /// What does not wait for an activity's turn.
    var urgent: [Int: Task<Void, Never>] = [:]
    /// The last call that told the daemon which activity is current.
    var lastMadeCurrent: Task<Bool, any Error>?
    /// Nobody has the daemon's name: a call would start it.
    var isDaemonGone = false
    private var tasks: [Task<Void, Never>] = []

    private init(
        bus: BatonBusClient, commands: AsyncStream<Command>.Continuation, delivery: CallbackDelivery, reattaches: Bool,
        team: String?, application: String?, sharedFolders: SharedFolders, warn: @escaping @Sendable (String) -> Void
    ) {
        self.bus = bus
        self.commands = commands
        callbackDelivery = delivery
        self.reattaches = reattaches
        self.team = team
        self.application = application
        self.sharedFolders = sharedFolders
        self.warn = warn
    }

    /// Connects to the daemon; it need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The message bus's address; nil for the session bus.
    ///   - delivery: Where the delegates of activities are called.
    ///   - reattaches: Whether activities outlive the daemon, and are published again when it comes
    ///     back; otherwise they fail.
    ///   - team: Whose apps may continue this one's activities, as `X-Baton-Team` says it.
    ///   - application: The app's id, for a program that the daemon cannot know by itself; what is
    ///     kept for searches is kept under it.
    ///   - folders: The configuration of ``sharedFolders``; with a mistake in it, which is warned
    ///     about, there are none.
    ///   - warn: Told, one line each, what the app's developer should know; by default it goes
    ///     where `NSLog` writes. Who follows the events of an activity is told there why the daemon
    ///     refuses it, and not here.
    /// - Returns: The connection, which ``close()`` ends.
    /// - Throws: ``BatonBusError`` with `busUnavailable` when there is no such bus.
    public static func open(
        address: String? = nil, delivery: CallbackDelivery = .immediate, reattaches: Bool = true,
        team: String? = nil, application: String? = nil, folders: URL = SharedFolders.configurationFile,
        warn: (@Sendable (String) -> Void)? = nil
    ) async throws -> BatonConnection {
        let warn = warn ?? { NSLog("%@", "Baton: \($0)") }
        let bus = try await BatonBusClient.connect(address: address)
        let (stream, commands) = AsyncStream.makeStream(of: Command.self)
        let connection = BatonConnection(
            bus: bus, commands: commands, delivery: delivery, reattaches: reattaches,
            team: team, application: application, sharedFolders: .configured(in: folders, warn: warn), warn: warn)
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
                commands.yield(.busEnded)
            },
            Task { [weak self] in for await command in stream { await self?.carryOut(command) } },
        ]
    }

    /// Ends the connection: the daemon forgets the program's activities, and all event streams
    /// finish.
    public func close() async {
        isDaemonGone = true
        commands.finish()
        bus.close()
        for task in tasks { task.cancel() }
        tasks = []
        (work, urgent) = ([:], [:])
        publications = [:]
        observers.finishAll()
        streams.failAll(BatonBusError(.busUnavailable, "the connection to the daemon was closed"))
    }

    /// What happens to an activity from now on. Ask before it becomes current to see all of it.
    public nonisolated func events(of activity: UserActivity) -> AsyncStream<PublicationEvent> {
        observers.stream(for: activity.identity)
    }

    /// Waits until a pair of streams has ended, and says whether all has arrived, which end of file
    /// does not. Use nothing before.
    ///
    /// It ends when both sides have ended what they send, or when it is cut.
    ///
    /// - Parameter streams: Streams that a delegate or ``Continuation/openStreams()`` got.
    /// - Throws: ``BatonBusError`` when they broke: what was read is then not all that was sent, or
    ///   the other way round.
    public nonisolated func waitForEnd(of streams: ContinuationStreams) async throws {
        try await self.streams.outcome(of: streams.identifier)
    }

    /// Gives a pair of streams up: the other device learns that what was sent is not whole, which
    /// closing the descriptor may not tell it.
    ///
    /// - Parameter streams: Streams that a delegate or ``Continuation/openStreams()`` got. Nothing
    ///   happens when they have ended.
    public nonisolated func giveUp(_ streams: ContinuationStreams) async {
        try? await bus.cancel(streams.identifier)
    }

    /// Foundation's streams on a descriptor, which becomes theirs; their end is what the daemon
    /// says it was.
    nonisolated func pair(of streams: ContinuationStreams) -> ContinuationPair {
        let outcomes = self.streams
        return ContinuationPair(adopting: streams.descriptor) { try await outcomes.outcome(of: streams.identifier) }
    }
}

extension BatonConnection {
    /// Waits until the daemon has been told all that activities have asked for so far, or cannot be
    /// told.
    ///
    /// For a program that ends next, or that lets another device know that it has something:
    /// nothing else waits for the daemon.
    public nonisolated func settle() async {
        await withCheckedContinuation { settled in
            // After the end nobody is told anything.
            if case .terminated = commands.yield(.settle(settled)) { settled.resume() }
        }
    }
}

/// What activities ask for.
extension BatonConnection {
    /// Publishes the activity, unless it is already, and makes it current.
    public nonisolated func activityBecameCurrent(_ activity: UserActivity) { commands.yield(.becameCurrent(activity)) }
    /// Tells the daemon to offer the activity no more.
    public nonisolated func activityResignedCurrent(_ activity: UserActivity) { commands.yield(.resigned(activity)) }
    /// Ends the activity at the daemon.
    public nonisolated func activityInvalidated(_ activity: UserActivity) { commands.yield(.invalidated(activity)) }
    /// Ends at the daemon what the app has let go.
    public nonisolated func activityReleased(_ identity: UserActivity.Identity) { commands.yield(.released(identity)) }
    /// Passes the warning to whom the connection was opened with.
    public nonisolated func activityWarning(_ text: String) { warn(text) }

    /// Tells the daemon of the change, and of all others until then.
    public nonisolated func activityChanged(_ activity: UserActivity) {
        guard changes.insert(activity.identity) else { return }
        // After the end nobody takes it.
        if case .terminated = commands.yield(.changed(activity)) { changes.remove(activity.identity) }
    }
}
