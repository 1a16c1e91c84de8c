// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// The queue of events for all programs. The queue holds at most one event for each offer, one for
/// the service's condition, and one for each device that fetches repeatedly.
struct ServiceNews: Sendable {
    private enum Subject: Hashable { case condition, offer(id: String), fetches(device: String) }
    private enum Standing { case condition(ServiceCondition), offer(OfferSummary), fetches(RepeatedFetches) }

    /// The events, for one consumer.
    let events: AsyncStream<ServiceEvent>
    private let mailbox: Mailbox<Subject, Standing>
    private var lastCondition: ServiceCondition?

    init() {
        let mailbox = Mailbox<Subject, Standing>()
        self.mailbox = mailbox
        events = AsyncStream(unfolding: { await mailbox.next().flatMap(Self.event) })
    }

    /// The number of waiting events.
    var count: Int { mailbox.count }

    /// Queues an offer that is new or has changed.
    func tell(_ offer: OfferSummary) { mailbox.put(.offer(offer), for: .offer(id: offer.offer)) }

    /// Queues the service's condition if it has changed.
    mutating func tell(_ condition: ServiceCondition) {
        guard condition != lastCondition else { return }
        lastCondition = condition
        mailbox.put(.condition(condition), for: .condition)
    }

    /// Queues a report on a device that fetches repeatedly and takes nothing over.
    func tell(_ fetches: RepeatedFetches) { mailbox.put(.fetches(fetches), for: .fetches(device: fetches.device)) }

    func disappeared(_ offer: String) { mailbox.remove(.offer(id: offer)) }

    /// Ends the queue. The consumer still gets the events that wait.
    func finish() { mailbox.finish() }

    private static func event(_ news: Mailbox<Subject, Standing>.News) -> ServiceEvent? {
        switch (news.key, news.value) {
        case (_, .condition(let condition)): .conditionChanged(condition)
        case (_, .offer(let offer)): news.wasKnown ? .offerChanged(offer) : .offerAppeared(offer)
        case (.offer(let id), nil): .offerDisappeared(id: id)
        case (_, .fetches(let fetches)): .fetchedInVain(fetches)
        case (.condition, nil), (.fetches, nil): nil
        }
    }
}
