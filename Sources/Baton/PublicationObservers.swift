// SPDX-License-Identifier: Apache-2.0

import Synchronization
import UserActivity

/// Who follows which activity.
final class PublicationObservers: Sendable {
    private typealias Sink = AsyncStream<PublicationEvent>.Continuation

    private let sinks = Mutex<[UserActivity.Identity: [Sink]]>([:])

    func stream(for activity: UserActivity.Identity) -> AsyncStream<PublicationEvent> {
        let (stream, sink) = AsyncStream.makeStream(of: PublicationEvent.self)
        sinks.withLock { $0[activity, default: []].append(sink) }
        return stream
    }

    func send(_ event: PublicationEvent, of activity: UserActivity.Identity) {
        for sink in sinks.withLock({ $0[activity] ?? [] }) { sink.yield(event) }
    }

    func finish(_ activity: UserActivity.Identity) {
        for sink in sinks.withLock({ $0.removeValue(forKey: activity) ?? [] }) { sink.finish() }
    }

    func finishAll() {
        let all = sinks.withLock { sinks in
            defer { sinks = [:] }
            return sinks.values.flatMap { $0 }
        }
        for sink in all { sink.finish() }
    }
}
