// SPDX-License-Identifier: Apache-2.0

package import BatonBus
import Synchronization

extension BatonBusClient {
    /// Returns the offers of other devices: the present ones as `appeared`, then every change.
    ///
    /// If an offer changes several times before you ask for the next event, there is one event,
    /// with the offer's latest state.
    ///
    /// - Returns: The events, which finish when the bus ends, and throw an error when the daemon
    ///   ends.
    /// - Throws: ``BatonError`` when the daemon is not running.
    package func watchOffers() async throws -> AsyncThrowingStream<OfferEvent, any Error> {
        let changes = try await offerEvents()
        // Ask for the offers before the daemon's presence, because this call starts the daemon if
        // the bus can start it.
        let present = try await offers().sorted { $0.offer < $1.offer }
        let presence = try await daemonPresence()
        let feed = OfferFeed()
        for offer in present { feed.news.apply(.appeared(offer)) }
        feed.follow { news in
            for await change in changes { news.apply(change) }
            news.finish()
        }
        feed.follow { news in
            for await isThere in presence where !isThere { news.finish(throwing: DaemonConnection.daemonEnded) }
        }
        return AsyncThrowingStream { try await feed.news.next() }
    }

    /// Waits until the offers fulfil a condition.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait. Zero checks only the present offers.
    ///   - select: Called with all present offers, sorted by id. Returns the result, or nil to
    ///     continue waiting.
    /// - Returns: The result of `select`, or nil if the time ran out.
    /// - Throws: ``BatonError``, or what `select` throws.
    package func waitForOffer<Found: Sendable>(
        timeout: Duration, select: @escaping @Sendable ([OfferSummary]) throws -> Found?
    ) async throws -> Found? {
        if let found = try select(try await offers().sorted { $0.offer < $1.offer }) { return found }
        guard timeout > .zero else { return nil }
        let events = try await watchOffers()
        return try await withThrowingTaskGroup(of: Found?.self) { group in
            group.addTask {
                var known = OfferList()
                for try await event in events {
                    _ = known.apply(event)
                    if let found = try select(known.sorted) { return found }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

/// Collects news of the offers, until its consumer is released.
private final class OfferFeed: Sendable {
    let news = OfferNews()
    private let tasks = Mutex<[Task<Void, Never>]>([])

    deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

    func follow(_ body: @escaping @Sendable (OfferNews) async -> Void) {
        let task = Task { [news] in await body(news) }
        tasks.withLock { $0.append(task) }
    }
}

/// The present offers, according to the events so far.
struct OfferList {
    private var offers: [String: OfferSummary] = [:]

    subscript(offer: String) -> OfferSummary? { offers[offer] }

    var sorted: [OfferSummary] { offers.values.sorted { $0.offer < $1.offer } }

    /// Applies an event.
    ///
    /// - Returns: The change of this list, or nil if the event changed nothing.
    mutating func apply(_ event: OfferEvent) -> OfferEvent? {
        switch event {
        case .appeared(let offer), .changed(let offer):
            let before = offers.updateValue(offer, forKey: offer.offer)
            if before == offer { return nil }
            return before == nil ? .appeared(offer) : .changed(offer)
        case .disappeared(let offer):
            return offers.removeValue(forKey: offer) == nil ? nil : event
        }
    }
}
