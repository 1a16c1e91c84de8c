// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import BatonBus

/// A program's connection to the daemon, without Foundation.
///
/// `baton` uses it directly, and apps use it through `BatonConnection`. For each activity, the
/// connection handles the program's requests and the daemon's messages one by one, in the order of
/// the events. Activities do not wait for each other. When the daemon restarts, the connection
/// publishes all activities again. When the bus ends, the connection fails.
package actor DaemonConnection {
    /// The settings that a program chooses when it connects.
    package struct Options: Sendable {
        /// Whether activities outlive the daemon. No activity outlives the bus.
        package var reattaches = true
        /// The options for publishing each of its activities.
        package var publishing = PublishOptions()
        /// The folders that other devices have too.
        package var folders = SharedFolders()

        /// Creates the default options.
        package init() {}
    }

    /// The client of the daemon's session-bus interface, for everything except activities.
    package nonisolated let bus: BatonBusClient
    package nonisolated let options: Options
    /// Called with warnings for the program's developer.
    package nonisolated let warn: @Sendable (String) -> Void

    enum Command: Sendable {
        case becameCurrent(any PublishedActivity)
        case resigned
        case changed(any PublishedActivity)
        case ended(ActivityIdentity)
        case event(ActivityEvent)
        case presence(Bool)
        /// The bus has ended, so this connection can no longer be used.
        case busEnded
        /// Resumes the continuation when all earlier requests are done.
        case settle(CheckedContinuation<Void, Never>)
    }

    struct Publication {
        /// Only the program keeps an activity alive.
        weak var activity: (any PublishedActivity)?
        /// The serial number of the publication. Later ones have higher numbers.
        let number: UInt64
        /// The activity's identifier at the daemon; nil while the daemon does not know it.
        var identifier: String?
        /// Whether the daemon rejected the contents.
        var isRefused = false
        /// Whether the daemon has not received the present state, and a retry is scheduled.
        var isBehind = false
        /// Whether the daemon was last told that the activity is the program's current one.
        var isOffered = false
    }

    nonisolated let commands: AsyncStream<Command>.Continuation
    nonisolated let changes = PendingChanges()
    nonisolated let observers = PublicationObservers()
    nonisolated let streams = StreamOutcomes()
    var publications: [ActivityIdentity: Publication] = [:]
    var publishCount: UInt64 = 0
    /// Warnings about activities whose identifiers have not arrived yet.
    var earlyWarnings = EarlyWarnings()
    var work = ActivityWork()
    /// The last call about the current activity.
    var lastMadeCurrent: Task<Bool, any Error>?
    /// Whether no daemon owns the bus name. A call would start one.
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

    /// Connects to the daemon, which need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The address of the message bus; nil for the session bus.
    ///   - options: The settings of the program.
    ///   - warn: Called with one line for each warning to the program's developer. If the program
    ///     follows an activity's events, an event says why the daemon rejects the activity, and no
    ///     warning does.
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

    /// Ends the connection.
    ///
    /// The daemon forgets the program's activities, and all event streams finish.
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

/// Requests from activities to the daemon.
extension DaemonConnection {
    /// Publishes the activity if necessary, and makes it current.
    package nonisolated func activityBecameCurrent(_ activity: any PublishedActivity) {
        commands.yield(.becameCurrent(activity))
    }

    /// Makes the daemon stop offering activities that are no longer current.
    package nonisolated func activityResignedCurrent() { commands.yield(.resigned) }

    /// Sends the activity's changes to the daemon.
    ///
    /// Changes that follow each other closely go together.
    package nonisolated func activityChanged(_ activity: any PublishedActivity) {
        guard changes.insert(activity.identity) else { return }
        // After the end of the connection nobody takes the command.
        if case .terminated = commands.yield(.changed(activity)) { changes.remove(activity.identity) }
    }

    /// Ends an activity at the daemon, even if the program has released it.
    package nonisolated func activityEnded(_ activity: ActivityIdentity) { commands.yield(.ended(activity)) }

    /// Returns the coming events of an activity.
    ///
    /// Call it before the activity becomes current to get all.
    package nonisolated func events(of activity: ActivityIdentity) -> AsyncStream<PublicationEvent> {
        observers.stream(for: activity)
    }

    /// Waits until the daemon has received all requests of activities so far, or cannot be reached.
    package nonisolated func settle() async {
        await withCheckedContinuation { settled in
            // After the end of the connection nobody resumes the continuation.
            if case .terminated = commands.yield(.settle(settled)) { settled.resume() }
        }
    }
}

/// Streams.
extension DaemonConnection {
    /// Waits until a pair of streams has ended, and throws if bytes were lost.
    ///
    /// - Parameter stream: The streams' identifier.
    /// - Throws: ``BatonError`` when they broke.
    package nonisolated func waitForEnd(of stream: String) async throws { try await streams.outcome(of: stream) }

    /// Gives a pair of streams back to the daemon after this program has closed both directions.
    ///
    /// The other device then gets all written bytes, even if this program ends now.
    ///
    /// - Parameters:
    ///   - stream: The streams' identifier.
    ///   - end: The program's end of the socket, or a copy of it.
    ///   - discards: Whether bytes that still arrive are dropped. Otherwise they break the streams.
    /// - Returns: A task that returns whether the daemon has taken over the streams. If not, they
    ///   have ended, or the program itself must keep its end open until they do.
    package nonisolated func closeStreams(
        _ stream: String, end: OwnedDescriptor, discards: Bool
    ) -> Task<Bool, Never> {
        guard streams.isOpen(stream) else { return Task { false } }
        return ClosedStreams.giveBack(stream, end: end, discards: discards, to: bus)
    }

    /// Abandons a pair of streams, and tells the other device that the bytes are incomplete.
    ///
    /// Closing the descriptor might not tell it.
    ///
    /// - Parameter stream: The streams' identifier. Nothing happens when they have ended.
    package nonisolated func giveUp(_ stream: String) async { try? await bus.cancel(stream) }
}
