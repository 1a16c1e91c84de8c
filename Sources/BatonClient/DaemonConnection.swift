// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import BatonBus

/// A program's connection to the daemon, without Foundation: `baton` has it as it is, and an app
/// by way of `BatonConnection`.
///
/// Everything that an activity does, and all that the daemon says about it, is carried out one
/// after the other in the order in which it happened; activities do not wait for each other. When
/// the daemon ends and comes back, all that was published is published again; when the bus ends,
/// it fails.
package actor DaemonConnection {
    /// What a program says of itself when it connects.
    package struct Options: Sendable {
        /// Whether activities outlive the daemon. None outlives the bus.
        package var reattaches = true
        /// What is said of each of its activities.
        package var publishing = PublishOptions()
        /// The folders that other devices have too.
        package var folders = SharedFolders()

        /// Those of a program that says nothing.
        package init() {}
    }

    /// The daemon's session-bus interface, for what is not about activities.
    package nonisolated let bus: BatonBusClient
    package nonisolated let options: Options
    /// Told what the program's developer should know.
    package nonisolated let warn: @Sendable (String) -> Void

    enum Command: Sendable {
        case becameCurrent(any PublishedActivity)
        case resigned
        case changed(any PublishedActivity)
        case ended(ActivityIdentity)
        case event(ActivityEvent)
        case presence(Bool)
        /// The bus itself has gone: this connection is of no more use.
        case busEnded
        /// Told when all that was asked before is done.
        case settle(CheckedContinuation<Void, Never>)
    }

    struct Publication {
        /// It is the program that keeps an activity alive.
        weak var activity: (any PublishedActivity)?
        /// The higher, the later it was published.
        let number: UInt64
        /// Its name at the daemon; nil while it is not there.
        var identifier: String?
        /// The daemon did not want its contents.
        var isRefused = false
        /// The daemon could not be told how it is, and is told again.
        var isBehind = false
        /// The daemon was told last that it is the program's current one.
        var isOffered = false
    }

    nonisolated let commands: AsyncStream<Command>.Continuation
    nonisolated let changes = PendingChanges()
    nonisolated let observers = PublicationObservers()
    nonisolated let streams = StreamOutcomes()
    var publications: [ActivityIdentity: Publication] = [:]
    var publishCount: UInt64 = 0
    /// Warnings of activities whose names at the daemon are still on their way here.
    var earlyWarnings = EarlyWarnings()
    var work = ActivityWork()
    /// The last call that told the daemon which activity is current.
    var lastMadeCurrent: Task<Bool, any Error>?
    /// Nobody has the daemon's name: a call would start it.
    var isDaemonGone = false
    private var tasks: [Task<Void, Never>] = []

    private init(
        bus: BatonBusClient, commands: AsyncStream<Command>.Continuation, options: Options,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.bus = bus
        self.commands = commands
        self.options = options
        self.warn = warn
    }

    /// Connects to the daemon; it need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The message bus's address; nil for the session bus.
    ///   - options: What the program says of itself.
    ///   - warn: Told, one line each, what the program's developer should know. Who follows the
    ///     events of an activity is told there why the daemon refuses it, and not here.
    /// - Returns: The connection, which ``close()`` ends.
    /// - Throws: ``BatonError`` with `busUnavailable` when there is no such bus.
    package static func open(
        address: String? = nil, options: Options, warn: @escaping @Sendable (String) -> Void
    ) async throws -> DaemonConnection {
        let bus = try await BatonBusClient.connect(address: address)
        let (stream, commands) = AsyncStream.makeStream(of: Command.self)
        let connection = DaemonConnection(bus: bus, commands: commands, options: options, warn: warn)
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
    package func close() async {
        isDaemonGone = true
        commands.finish()
        await ClosedStreams.settle()
        bus.close()
        for task in tasks { task.cancel() }
        tasks = []
        work = ActivityWork()
        publications = [:]
        observers.finishAll()
        streams.failAll(BatonError(.busUnavailable, "the connection to the daemon was closed"))
    }
}

/// What activities ask for.
extension DaemonConnection {
    /// Publishes the activity, unless it is already, and makes it current.
    package nonisolated func activityBecameCurrent(_ activity: any PublishedActivity) {
        commands.yield(.becameCurrent(activity))
    }

    /// Tells the daemon to offer no more what is not current any more.
    package nonisolated func activityResignedCurrent() { commands.yield(.resigned) }

    /// Tells the daemon of the change, and of all others until then.
    package nonisolated func activityChanged(_ activity: any PublishedActivity) {
        guard changes.insert(activity.identity) else { return }
        // After the end nobody takes it.
        if case .terminated = commands.yield(.changed(activity)) { changes.remove(activity.identity) }
    }

    /// Ends an activity at the daemon, be it still there or not.
    package nonisolated func activityEnded(_ activity: ActivityIdentity) { commands.yield(.ended(activity)) }

    /// What happens to an activity from now on. Ask before it becomes current to see all of it.
    package nonisolated func events(of activity: ActivityIdentity) -> AsyncStream<PublicationEvent> {
        observers.stream(for: activity)
    }

    /// Waits until the daemon has been told all that activities have asked for so far, or cannot be
    /// told.
    package nonisolated func settle() async {
        await withCheckedContinuation { settled in
            // After the end nobody is told anything.
            if case .terminated = commands.yield(.settle(settled)) { settled.resume() }
        }
    }
}

/// Streams.
extension DaemonConnection {
    /// Waits until a pair of streams has ended, and says whether all has arrived.
    ///
    /// - Parameter stream: The streams' identifier.
    /// - Throws: ``BatonError`` when they broke.
    package nonisolated func waitForEnd(of stream: String) async throws { try await streams.outcome(of: stream) }

    /// Gives a pair of streams back of which this program has closed both directions: the other
    /// device gets all that was written, even if this program ends now.
    ///
    /// - Parameters:
    ///   - stream: The streams' identifier.
    ///   - end: The program's end, or a copy of it.
    ///   - discards: Whether what still comes is thrown away; otherwise it breaks the streams.
    /// - Returns: A task that says whether the daemon sees to them now: if not, they have ended, or
    ///   the program itself must keep its end until then.
    package nonisolated func closeStreams(
        _ stream: String, end: OwnedDescriptor, discards: Bool
    ) -> Task<Bool, Never> {
        guard streams.isOpen(stream) else { return Task { false } }
        return ClosedStreams.giveBack(stream, end: end, discards: discards, to: bus)
    }

    /// Gives a pair of streams up: the other device learns that what was sent is not whole, which
    /// closing the descriptor may not tell it.
    ///
    /// - Parameter stream: The streams' identifier. Nothing happens when they have ended.
    package nonisolated func giveUp(_ stream: String) async { try? await bus.cancel(stream) }
}
