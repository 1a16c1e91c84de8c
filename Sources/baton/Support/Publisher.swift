// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import Glibc
import UnixSignals
import Wording

/// Runs `baton publish` while its activity is offered.
struct Publisher {
    /// How long after the continuation the other device may still open streams.
    static let streamGrace = Duration.seconds(60)
    /// How long the daemon may take to withdraw the activity at the end.
    private static let farewell = Duration.seconds(5)
    private static let notOffered = "not offered: another program's activity has taken its place"

    private enum Step: Sendable {
        case begun(Result<Void, any Error>)
        case event(PublicationEvent)
        case gone
        case arrived(ContinuationStreams)
        case finished(ContinuationStreams, Result<StreamPump.Totals, any Error>)
        case signalled
        case streamsAreLate
    }

    private let activity: PublisherActivity
    private let type: String
    private let connection: DaemonConnection
    private let streams: StreamOptions
    private let once: Bool
    private let output: Output
    private let progress: StreamProgressLine?

    private var pumps: [String: Task<Void, Never>] = [:]
    private var isOffered = false
    private var wasPublished = false
    /// Whether "publishing" was printed for the present daemon.
    private var isAnnounced = false
    private var hasPlace = true
    private var wasContinued = false
    /// The contents that the daemon refused last, with the reason that was printed.
    private var lastRefusal: (contents: UserInfo, reason: String)?
    private var sentStandardInput = false
    /// The result of the first pair of streams, for `--once`.
    private var outcome: Result<StreamPump.Totals, any Error>?

    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - output: The output for events.
    init(
        activity: PublisherActivity, connection: DaemonConnection, streams: StreamOptions, once: Bool, output: Output
    ) {
        self.activity = activity
        self.connection = connection
        type = activity.currentState.activityType
        self.streams = streams
        self.once = once
        self.output = output
        progress = StreamProgressLine(for: streams, bus: connection.bus)
    }

    /// Offers the activity until a signal arrives, or with `--once` until it was continued.
    ///
    /// - Throws: The reason why the activity could not be offered. With `--once`, also the reason
    ///   why its streams failed.
    mutating func run(until signals: some AsyncSequence<UnixSignal, Never> & Sendable) async throws {
        let (steps, sink) = AsyncStream.makeStream(of: Step.self)
        let activity = activity
        let events = connection.events(of: activity.identity)
        let arrivals = activity.arrivals
        let feeds = [
            Task {
                for await event in events { sink.yield(.event(event)) }
                sink.yield(.gone)
            },
            Task { for await arrival in arrivals { sink.yield(.arrived(arrival)) } },
            Task { for await _ in signals { sink.yield(.signalled) } },
            Task {
                do {
                    try await activity.begin()
                    sink.yield(.begun(.success(())))
                } catch {
                    sink.yield(.begun(.failure(error)))
                }
            },
        ]
        defer { for feed in feeds { feed.cancel() } }
        do {
            for await step in steps where try await take(step, sink: sink) { break }
        } catch {
            await end(steps)
            throw error
        }
        await end(steps)
        guard isOffered else { throw ToolFailure("interrupted before \(type) was published", status: .interrupted) }
        try output.line("ended \(type)")
    }

    /// Handles one step.
    ///
    /// - Returns: Whether it was the last step.
    private mutating func take(_ step: Step, sink: AsyncStream<Step>.Continuation) async throws -> Bool {
        switch step {
        case .begun(let result):
            try result.get()
            isOffered = true
            activity.becomeCurrent()
        case .event(.becameCurrent):
            (wasPublished, isAnnounced) = (true, true)
            try output.line("publishing \(type)")
            if !hasPlace { try output.line(Self.notOffered) }
        case .event(.continued(_, let deviceName)):
            try output.line("continued on \(deviceName)")
            wasContinued = true
            if once, streams.areWanted, pumps.isEmpty, outcome == nil { Self.remind(sink) }
        case .event(.notContinued(_, let deviceName, let reason)):
            try output.line("not continued on \(deviceName): \(reason)")
        case .event(.warning(let text)): Output.warn(text)
        case .event(.currentChanged(let isCurrent)):
            hasPlace = isCurrent
            if isAnnounced { try output.line(isCurrent ? "offered again" : Self.notOffered) }
        case .event(.saved): if activity.areContentsSaved { try output.line("saved") }
        case .event(.resignedCurrent): try output.line("resigned")
        case .event(.failed(let error)): throw error
        case .event(.refused(let error)):
            guard wasPublished else { throw error }
            // The daemon refuses the same contents again for each device that asks. Warn only once.
            let contents = activity.currentState.userInfo
            if let lastRefusal, lastRefusal == (contents, error.message) { break }
            lastRefusal = (contents, error.message)
            Output.warn(error.text(on: .terminal))
        case .event(.detached(let error)):
            // Wait for a new daemon only if the activity was published. With `--once`, a continued
            // activity must not be published again.
            guard wasPublished, !(once && wasContinued) else { throw error }
            (isAnnounced, hasPlace) = (false, true)
            Output.warn("batond has ended; \(type) is published again when it is back")
        case .event(.invalidated), .gone: throw ToolFailure("the daemon has dropped the activity; publish it again")
        case .arrived(let arrived): try await begin(arrived, sink: sink)
        case .finished(let pair, let result): try await finish(pair, result)
        case .signalled: return try interrupted()
        case .streamsAreLate:
            guard pumps.isEmpty, outcome == nil else { break }
            throw ToolFailure(
                "the activity was continued, but no streams were opened within 60 s; give baton continue "
                    + "--stream-from or --stream-to")
        }
        guard once, wasContinued else { return false }
        if !streams.areWanted { return true }
        guard let outcome else { return false }
        _ = try outcome.get()
        return true
    }

    private func interrupted() throws -> Bool {
        if !pumps.isEmpty {
            throw ToolFailure(
                "interrupted while streams were open; what they carried is not whole", status: .interrupted)
        }
        if once {
            let rest = streams.areWanted ? " and its streams had ended" : ""
            throw ToolFailure("interrupted before the activity was continued\(rest)", status: .interrupted)
        }
        return true
    }

    /// Starts to move data through a pair of streams. Refuses the pair if this side's source or
    /// target is in use or used up.
    private mutating func begin(_ pair: ContinuationStreams, sink: AsyncStream<Step>.Continuation) async throws {
        let isTaken =
            streams.streamFrom == "-" && sentStandardInput || streams.usesStandardOutput && !pumps.isEmpty
            || once && (outcome != nil || !pumps.isEmpty)
        guard !isTaken else {
            await refuse(pair)
            try output.line("refused streams with \(pair.deviceName): this side's ends are in use, or used up")
            return
        }
        let pump: StreamPump
        do {
            pump = StreamPump(streams: pair, source: try streams.openSource(), target: try streams.openTarget())
        } catch {
            await refuse(pair)
            return try await finish(pair, .failure(error))
        }
        sentStandardInput = true
        do {
            try output.line("streams opened with \(pair.deviceName) over \(pair.transport)")
        } catch {
            await refuse(pair)
            pump.target.discard()
            throw error
        }
        let (connection, progress) = (connection, progress)
        pumps[pair.identifier] = Task {
            progress?.begin(pair.identifier)
            let result: Result<StreamPump.Totals, any Error>
            do {
                result = .success(
                    try await pump.run(giveUp: { await connection.giveUp(pair.identifier) }) {
                        try await connection.waitForEnd(of: pair.identifier)
                    })
            } catch {
                result = .failure(error)
            }
            // The command may end as soon as it learns the result.
            progress?.end(pair.identifier)
            sink.yield(.finished(pair, result))
        }
    }

    /// Refuses a pair of streams. Merely closing them would make them look like complete, empty
    /// streams to the other device.
    private func refuse(_ pair: ContinuationStreams) async {
        await connection.giveUp(pair.identifier)
        close(pair.descriptor)
    }

    private mutating func finish(_ pair: ContinuationStreams, _ result: Result<StreamPump.Totals, any Error>)
        async throws
    {
        pumps[pair.identifier] = nil
        switch result {
        case .success(let totals):
            try output.line(
                "streams finished with \(pair.deviceName): sent \(totals.sent) bytes, received \(totals.received) bytes"
            )
        case .failure(let error):
            try output.line("streams failed with \(pair.deviceName): \(String(describing: error))")
        }
        if outcome == nil { outcome = result }
    }

    /// Withdraws the activity. Waits until the daemon has done so, but not longer than
    /// ``farewell``.
    private mutating func end(_ steps: AsyncStream<Step>) async {
        await activity.stopContents()
        for pump in pumps.values { pump.cancel() }
        for pump in pumps.values { await pump.value }
        guard isOffered else { return }
        activity.end()
        await withTaskGroup { group in
            group.addTask {
                for await step in steps {
                    switch step {
                    case .gone, .event(.invalidated), .event(.failed): return
                    default: continue
                    }
                }
            }
            group.addTask { try? await Task.sleep(for: Self.farewell) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func remind(_ sink: AsyncStream<Step>.Continuation) {
        Task {
            try await Task.sleep(for: streamGrace)
            sink.yield(.streamsAreLate)
        }
    }
}
