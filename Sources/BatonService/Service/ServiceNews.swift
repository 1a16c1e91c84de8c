// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// What everyone is to be told: of each offer how it stands, and the condition of the service. As
/// much waits as there are offers, and no more.
struct ServiceNews: Sendable {
    private enum Subject: Hashable { case condition, offer(id: String), fetches(device: String) }
    private enum Standing { case condition(ServiceCondition), offer(OfferSummary), fetches(RepeatedFetches) }

    /// For one consumer.
    let events: AsyncStream<ServiceEvent>
    private let mailbox: Mailbox<Subject, Standing>
    private var lastCondition: ServiceCondition?

    init() {
        let mailbox = Mailbox<Subject, Standing>()
        self.mailbox = mailbox
        events = AsyncStream(unfolding: { await mailbox.next().flatMap(Self.event) })
    }

    /// How many events wait.
    var count: Int { mailbox.count }

    /// An offer has appeared, or changed.
    func tell(_ offer: OfferSummary) { mailbox.put(.offer(offer), for: .offer(id: offer.offer)) }

    /// The condition of the service, if that is news.
    mutating func tell(_ condition: ServiceCondition) {
        guard condition != lastCondition else { return }
        lastCondition = condition
        mailbox.put(.condition(condition), for: .condition)
    }

    /// A device fetches again and again, and takes nothing over.
    func tell(_ fetches: RepeatedFetches) { mailbox.put(.fetches(fetches), for: .fetches(device: fetches.device)) }

    func disappeared(_ offer: String) { mailbox.remove(.offer(id: offer)) }

    /// What waits is still told.
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
