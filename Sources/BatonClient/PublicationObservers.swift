// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Synchronization

/// The event streams of activities.
final class PublicationObservers: Sendable {
    private typealias Sink = AsyncStream<PublicationEvent>.Continuation

    private struct State {
        var sinks: [ActivityIdentity: [UInt64: Sink]] = [:]
        var lastID: UInt64 = 0
    }

    /// The maximum number of events that wait in a stream. Older events are dropped.
    static let buffer = 256

    private let state = Mutex(State())

    /// The number of open streams, for tests.
    var count: Int { state.withLock { $0.sinks.values.reduce(0) { $0 + $1.count } } }

    /// Returns the coming events of an activity, for as long as somebody holds the stream.
    func stream(for activity: ActivityIdentity) -> AsyncStream<PublicationEvent> {
        let (stream, sink) = AsyncStream.makeStream(
            of: PublicationEvent.self, bufferingPolicy: .bufferingNewest(Self.buffer))
        let id = state.withLock { state in
            state.lastID += 1
            state.sinks[activity, default: [:]][state.lastID] = sink
            return state.lastID
        }
        sink.onTermination = { [weak self] _ in self?.remove(id, of: activity) }
        return stream
    }

    /// Sends an event to all streams of an activity.
    ///
    /// - Returns: Whether the activity has any stream.
    @discardableResult
    func send(_ event: PublicationEvent, of activity: ActivityIdentity) -> Bool {
        let sinks = state.withLock { Array(($0.sinks[activity] ?? [:]).values) }
        for sink in sinks { sink.yield(event) }
        return !sinks.isEmpty
    }

    func finish(_ activity: ActivityIdentity) {
        for sink in state.withLock({ $0.sinks.removeValue(forKey: activity) ?? [:] }).values { sink.finish() }
    }

    func finishAll() {
        let all = state.withLock { state in
            defer { state.sinks = [:] }
            return state.sinks.values.flatMap(\.values)
        }
        for sink in all { sink.finish() }
    }

    private func remove(_ id: UInt64, of activity: ActivityIdentity) {
        // Release the stream outside of the lock.
        let gone = state.withLock { state in
            let sink = state.sinks[activity]?.removeValue(forKey: id)
            if state.sinks[activity]?.isEmpty == true { state.sinks[activity] = nil }
            return sink
        }
        withExtendedLifetime(gone) {}
    }
}
