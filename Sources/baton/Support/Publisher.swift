// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import Foundation
import Glibc
import UnixSignals
import UserActivity

/// What `baton publish` does while its activity is offered.
struct Publisher {
    /// How long a continued activity stays reachable for streams (protocol.md, "Continue").
    static let streamGrace = Duration.seconds(60)
    /// How long the daemon may take to withdraw the activity at the end.
    private static let farewell = Duration.seconds(5)

    private enum Step: Sendable {
        case event(PublicationEvent)
        case gone
        case arrived(ContinuationStreams)
        case finished(ContinuationStreams, Result<StreamPump.Totals, any Error>)
        case signalled
        case streamsAreLate
    }

    private let activity: UserActivity
    private let connection: BatonConnection
    private let streams: StreamOptions
    private let once: Bool
    private let output: Output
    private let taker = StreamTaker()

    private var pumps: [String: Task<Void, Never>] = [:]
    private var names: [String: String] = [:]
    private var wasContinued = false
    private var sentStandardInput = false
    /// How the first pair of streams ended, with `--once`.
    private var outcome: Result<StreamPump.Totals, any Error>?

    init(activity: UserActivity, connection: BatonConnection, streams: StreamOptions, once: Bool) {
        self.activity = activity
        self.connection = connection
        self.streams = streams
        self.once = once
        output = streams.usesStandardOutput ? .error : .standard
    }

    /// Offers the activity until a signal comes, or with `--once` until it was continued.
    ///
    /// - Throws: Why it could not be offered; with `--once` also why its streams failed.
    mutating func run(until signals: UnixSignalsSequence) async throws {
        let (steps, sink) = AsyncStream.makeStream(of: Step.self)
        let events = connection.events(of: activity)
        let arrivals = taker.arrivals
        activity.delegate = taker
        let feeds = [
            Task {
                for await event in events { sink.yield(.event(event)) }
                sink.yield(.gone)
            },
            Task { for await arrival in arrivals { sink.yield(.arrived(arrival)) } },
            Task { for await _ in signals { sink.yield(.signalled) } },
        ]
        defer { for feed in feeds { feed.cancel() } }
        activity.becomeCurrent()
        do {
            for await step in steps where try await take(step, sink: sink) { break }
        } catch {
            await end(steps)
            throw error
        }
        await end(steps)
        output.line("ended \(activity.activityType)")
    }

    /// Carries one step out.
    ///
    /// - Returns: Whether it was the last.
    private mutating func take(_ step: Step, sink: AsyncStream<Step>.Continuation) async throws -> Bool {
        switch step {
        case .event(.becameCurrent): output.line("publishing \(activity.activityType)")
        case .event(.continued(let device)):
            output.line("continued on \(await name(of: device))")
            wasContinued = true
            if once, streams.areWanted, pumps.isEmpty, outcome == nil { Self.remind(sink) }
        case .event(.warning(let text)): output.line("warning: \(text)")
        case .event(.saved): output.line("saved")
        case .event(.resignedCurrent): output.line("resigned")
        case .event(.failed(let error)), .event(.detached(let error)): throw error
        case .event(.invalidated), .gone: throw ToolFailure("the daemon has dropped the activity; publish it again")
        case .arrived(let arrived): await begin(arrived, sink: sink)
        case .finished(let pair, let result): await finish(pair, result)
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
        if !pumps.isEmpty { throw ToolFailure("interrupted while streams were open; what they carried is not whole") }
        if once { throw ToolFailure("interrupted before the activity was continued and its streams had ended") }
        return true
    }

    /// Takes a pair of streams up, unless its ends are not free.
    private mutating func begin(_ pair: ContinuationStreams, sink: AsyncStream<Step>.Continuation) async {
        let device = await name(of: pair.device)
        let isTaken =
            streams.streamFrom == "-" && sentStandardInput || streams.usesStandardOutput && !pumps.isEmpty
            || once && (outcome != nil || !pumps.isEmpty)
        guard !isTaken else {
            close(pair.descriptor)
            output.line("refused streams with \(device): this side's ends are in use, or used up")
            return
        }
        do {
            let (source, target) = (try streams.openSource(), try streams.openTarget())
            sentStandardInput = true
            output.line("streams opened with \(device) over \(pair.transport)")
            let pump = StreamPump(streams: pair, source: source, target: target)
            let connection = connection
            pumps[pair.identifier] = Task {
                do {
                    let totals = try await pump.run(giveUp: { await connection.giveUp(pair) }) {
                        try await connection.waitForEnd(of: pair)
                    }
                    sink.yield(.finished(pair, .success(totals)))
                } catch {
                    sink.yield(.finished(pair, .failure(error)))
                }
            }
        } catch {
            close(pair.descriptor)
            await finish(pair, .failure(error))
        }
    }

    private mutating func finish(_ pair: ContinuationStreams, _ result: Result<StreamPump.Totals, any Error>) async {
        pumps[pair.identifier] = nil
        let device = await name(of: pair.device)
        switch result {
        case .success(let totals):
            output.line(
                "streams finished with \(device): sent \(totals.sent) bytes, received \(totals.received) bytes")
        case .failure(let error):
            output.line("streams failed with \(device): \(String(describing: error))")
        }
        if outcome == nil { outcome = result }
    }

    /// Withdraws the activity and waits until the daemon has done it, or for ``farewell``.
    private mutating func end(_ steps: AsyncStream<Step>) async {
        for pump in pumps.values { pump.cancel() }
        for pump in pumps.values { await pump.value }
        activity.resignCurrent()
        activity.invalidate()
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

    /// A device's name for people; its id when the daemon does not know one.
    private mutating func name(of device: String) async -> String {
        if let known = names[device] { return known }
        let members = (try? await connection.bus.status())?.members ?? []
        for member in members { names[member.device] = member.name }
        return names[device] ?? device
    }
}

/// Takes streams from the activity and passes them on.
private final class StreamTaker: UserActivityDelegate, Sendable {
    let arrivals: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation

    init() { (arrivals, sink) = AsyncStream.makeStream(of: ContinuationStreams.self) }

    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool {
        sink.yield(streams)
        return true
    }
}
