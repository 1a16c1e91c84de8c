// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
package import BatonBus

/// A program's connection to the daemon, without Foundation.
///
/// `baton` uses this class directly, and apps use it through `BatonConnection`. The connection
/// makes one call at a time for each activity. Each call sends all changes since the last call. The
/// app is called about an activity in the order of the daemon's messages. Activities do not wait
/// for each other. When the daemon restarts, the connection publishes the current activity again.
/// When the bus ends, the connection fails.
package actor DaemonConnection {
    /// The settings that a program chooses when it connects.
    package struct Options: Sendable {
        /// Whether activities outlive the daemon. No activity outlives the bus.
        package var reattaches = true
        /// The options for publishing each of the program's activities.
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

    /// An activity of the program, and the calls that its app must answer, one after the other.
    struct AppSide {
        /// The maximum number of calls that wait.
        static let maximumCalls = 64

        /// The published activity. The reference is weak, because only the program keeps an
        /// activity alive.
        weak var activity: (any PublishedActivity)?
        var lastCall: Task<Void, Never>?
        var calls = 0
    }

    nonisolated let requests = ProgramRequests()
    nonisolated let observers = PublicationObservers()
    nonisolated let streams = StreamOutcomes()
    var publications: PublicationTable
    var apps: [ActivityIdentity: AppSide] = [:]
    /// Warnings about activities whose identifiers have not arrived yet.
    var earlyWarnings = EarlyWarnings()
    /// The callers that wait until all requests of the program are done.
    var settling: [CheckedContinuation<Void, Never>] = []
    /// Whether a daemon owns the bus name, or nil until that is known.
    var isDaemonThere: Bool?
    private var tasks: [Task<Void, Never>] = []

    private init(bus: BatonBusClient, options: Options, warn: @escaping @Sendable (String) -> Void) {
        self.bus = bus
        self.options = options
        self.warn = warn
        publications = PublicationTable(reattaches: options.reattaches)
    }

    /// Connects to the daemon, which need not be running yet.
    ///
    /// - Parameters:
    ///   - address: The address of the message bus, or nil for the session bus.
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
        let connection = DaemonConnection(bus: bus, options: options, warn: warn)
        do {
            try await connection.start()
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private func start() async throws {
        let events = try await bus.activityEvents()
        let presence = try await bus.daemonPresence()
        let wakeUps = requests.wakeUps
        tasks = [
            Task { [weak self] in for await event in events { await self?.receive(event) } },
            Task { [weak self] in
                for await isThere in presence { await self?.daemonIs(there: isThere) }
                await self?.busEnded()
            },
            Task { [weak self] in for await _ in wakeUps { await self?.takeRequests() } },
        ]
    }

    /// Ends the connection.
    ///
    /// The daemon forgets the program's activities, and all event streams finish. When this
    /// function returns, the descriptors of the connection are closed, and its thread calls nothing
    /// any more. A program that ends afterwards does not end under a thread that is still at work.
    package func close() async {
        requests.close()
        await ClosedStreams.settle()
        let closing = bus.closing()
        for task in tasks { task.cancel() }
        tasks = []
        publications = PublicationTable(reattaches: options.reattaches)
        advance()
        observers.finishAll()
        streams.failAll(Self.busHasEnded)
        await closing.value
    }
}

/// Requests from activities to the daemon.
extension DaemonConnection {
    /// Publishes the activity if necessary, and makes it current.
    package nonisolated func activityBecameCurrent(_ activity: any PublishedActivity) {
        requests.add { $0.current[activity.identity] = activity }
    }

    /// Makes the daemon stop offering activities that are no longer current.
    package nonisolated func activityResignedCurrent() { requests.add { $0.hasResigned = true } }

    /// Sends the activity's changes to the daemon.
    ///
    /// Changes in quick succession are sent together.
    package nonisolated func activityChanged(_ activity: any PublishedActivity) {
        requests.add { $0.changed.insert(activity.identity) }
    }

    /// Ends an activity at the daemon, even if the program has released it.
    package nonisolated func activityEnded(_ activity: ActivityIdentity) {
        requests.add { $0.ended.insert(activity) }
    }

    /// Returns the events of an activity from now on.
    ///
    /// To get all events, call this before the activity becomes current.
    package nonisolated func events(of activity: ActivityIdentity) -> AsyncStream<PublicationEvent> {
        observers.stream(for: activity)
    }

    /// Waits until the daemon has received all requests of activities so far, or cannot be reached.
    package func settle() async {
        takeRequests()
        guard !publications.isAtRest else { return }
        await withCheckedContinuation { settling.append($0) }
    }
}

/// Streams.
extension DaemonConnection {
    /// Waits until a pair of streams has ended, and throws if bytes were lost.
    ///
    /// - Parameter stream: The streams' identifier.
    /// - Throws: ``BatonError`` when the streams broke.
    package nonisolated func waitForEnd(of stream: String) async throws { try await streams.outcome(of: stream) }

    /// Returns the progress of a pair of this program's streams, then the new progress after each
    /// change, until the pair ends.
    ///
    /// A new call for the same pair ends the reports of the former one.
    ///
    /// - Parameter stream: The streams' identifier.
    /// - Throws: ``BatonError`` with `notFound` if this program has no such streams or they have
    ///   ended, and another error from a daemon that reports no progress.
    package nonisolated func progress(of stream: String) async throws -> AsyncStream<StreamProgress> {
        let reports = try await bus.followStreams(stream)
        let (progress, sink) = AsyncStream.makeStream(of: StreamProgress.self, bufferingPolicy: .bufferingNewest(1))
        let forwarding = Task {
            for await report in reports { sink.yield(report) }
            sink.finish()
        }
        sink.onTermination = { _ in forwarding.cancel() }
        streams.follow(stream, with: sink)
        return progress
    }

    /// Gives a pair of streams back to the daemon after this program has closed both directions.
    ///
    /// The other device then gets all written bytes, even if this program ends now.
    ///
    /// - Parameters:
    ///   - stream: The streams' identifier.
    ///   - end: The program's end of the socket, or a copy of it.
    ///   - discards: Whether bytes that still arrive are dropped. If it is false, such bytes break
    ///     the streams.
    /// - Returns: A task that returns whether the daemon has taken over the streams. If not, either
    ///   the streams have ended, or the program itself must keep its end open until they end.
    package nonisolated func closeStreams(
        _ stream: String, end: OwnedDescriptor, discards: Bool
    ) -> Task<Bool, Never> {
        guard streams.isOpen(stream) else { return Task { false } }
        return ClosedStreams.giveBack(stream, end: end, discards: discards, to: bus)
    }

    /// Abandons a pair of streams, and tells the other device that the bytes are incomplete.
    ///
    /// Closing the descriptor alone might not tell the other device.
    ///
    /// - Parameter stream: The streams' identifier. Nothing happens if the streams have ended.
    package nonisolated func giveUp(_ stream: String) async { try? await bus.cancel(stream) }
}
