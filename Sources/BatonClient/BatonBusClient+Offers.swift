// SPDX-License-Identifier: Apache-2.0

package import BatonBus
import Synchronization

extension BatonBusClient {
    /// The offers of other devices: those there are now, each as `appeared`, then every change. Of
    /// an offer that changes several times before the next event is asked for, there is one event,
    /// for what it has come to.
    ///
    /// - Returns: The events; they finish when the bus goes, with an error when the daemon does.
    /// - Throws: ``BatonError`` when the daemon does not run.
    package func watchOffers() async throws -> AsyncThrowingStream<OfferEvent, any Error> {
        let changes = try await offerEvents()
        // The call comes first: it starts the daemon where the bus can do that.
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

    /// Waits until the offers satisfy a condition.
    ///
    /// - Parameters:
    ///   - timeout: How long at most; zero looks at what is there now.
    ///   - select: What is wanted of all present offers, sorted by id; nil to wait on.
    /// - Returns: What `select` found; nil when the time was over.
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

/// News of the offers, and what brings them, until nobody asks any more.
private final class OfferFeed: Sendable {
    let news = OfferNews()
    private let tasks = Mutex<[Task<Void, Never>]>([])

    deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

    func follow(_ body: @escaping @Sendable (OfferNews) async -> Void) {
        let task = Task { [news] in await body(news) }
        tasks.withLock { $0.append(task) }
    }
}

/// The offers that are there, by the events so far.
struct OfferList {
    private var offers: [String: OfferSummary] = [:]

    subscript(offer: String) -> OfferSummary? { offers[offer] }

    /// All of them, sorted by id.
    var sorted: [OfferSummary] { offers.values.sorted { $0.offer < $1.offer } }

    /// Takes an event in; gives what it really was, or nil when it changed nothing.
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
