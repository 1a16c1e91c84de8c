// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Synchronization

/// The changes of the offers since the consumer last asked, with at most one event for each offer.
///
/// Therefore the list stays short even if the consumer is slow.
final class OfferNews: Sendable {
    private enum Next {
        case event(OfferEvent)
        case nothing
        case end((any Error)?)
    }

    private struct State {
        var told = OfferList()
        var present = OfferList()
        /// The offers with an event to deliver, in the order of their first change.
        var untold: [String] = []
        var hasEnded = false
        var failure: (any Error)?

        mutating func take() -> Next {
            guard !untold.isEmpty else { return hasEnded ? .end(failure) : .nothing }
            let offer = untold.removeFirst()
            let event = present[offer].map(OfferEvent.changed) ?? .disappeared(offer: offer)
            return told.apply(event).map(Next.event) ?? .nothing
        }
    }

    private let state = Mutex(State())
    private let wakeUps: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() { (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// The number of waiting events, for tests.
    var count: Int { state.withLock { $0.untold.count } }

    /// Applies an event. A waiting event that it undoes is removed.
    func apply(_ event: OfferEvent) {
        let offer =
            switch event {
            case .appeared(let offer), .changed(let offer): offer.offer
            case .disappeared(let offer): offer
            }
        state.withLock { state in
            guard state.present.apply(event) != nil else { return }
            if state.present[offer] == state.told[offer] {
                state.untold.removeAll { $0 == offer }
            } else if !state.untold.contains(offer) {
                state.untold.append(offer)
            }
        }
        wake.yield()
    }

    /// Ends the news after the waiting events.
    func finish(throwing error: (any Error)? = nil) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.hasEnded = true
            state.failure = error
        }
        wake.yield()
    }

    /// Returns the next event. Returns nil at the end, or when the task is cancelled.
    func next() async throws -> OfferEvent? {
        while true {
            switch state.withLock({ $0.take() }) {
            case .event(let event): return event
            case .end(let error?): throw error
            case .end(nil): return nil
            case .nothing:
                var wakeUps = wakeUps.makeAsyncIterator()
                guard await wakeUps.next() != nil else { return nil }
            }
        }
    }
}
