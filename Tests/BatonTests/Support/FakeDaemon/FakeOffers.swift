// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import UserActivity

/// The other devices' offers in a ``FakeDaemon``, and what clients did with them.
struct FakeOffers {
    private(set) var all: [OfferSummary] = []
    /// The offers that clients asked to open in an app or the browser.
    private(set) var opened: [String] = []
    private var continuable: [String: ContinuedActivity] = [:]

    /// Adds an offer, or replaces one with the same id.
    mutating func insert(_ offer: OfferSummary) {
        remove(offer.offer)
        all.append(offer)
    }

    mutating func insert(_ offer: OfferSummary, of activity: ActivityState, transport: String) {
        insert(offer)
        continuable[offer.offer] = ContinuedActivity(
            continuation: "c" + offer.offer, activity: activity, device: offer.device, deviceName: offer.deviceName,
            transport: transport)
    }

    mutating func remove(_ offer: String) { all.removeAll { $0.offer == offer } }

    func activity(of offer: String) throws(BatonError) -> ContinuedActivity {
        guard let found = continuable[offer] else { throw BatonError(.notFound, appMessage: "no offer \(offer)") }
        return found
    }

    mutating func open(_ offer: String, application: String?) throws(BatonError) -> OpenedOffer {
        guard offer != "failing" else { throw BatonError(.applicationFailed, appMessage: "it failed") }
        opened.append(offer)
        return offer == "page" ? .webpage("https://example.org/") : .application(application ?? "org.example.App")
    }
}

extension FakeDaemon {
    /// The offers that clients asked to open in an app or the browser.
    var opened: [String] { offered.opened }

    func appear(_ offer: OfferSummary, activity: ActivityState? = nil, transport: String = "simulated") {
        if let activity {
            offered.insert(offer, of: activity, transport: transport)
        } else {
            offered.insert(offer)
        }
        service?.send(.appeared(offer))
    }

    func change(_ offer: OfferSummary) {
        offered.insert(offer)
        service?.send(.changed(offer))
    }

    func disappear(_ offer: String) {
        offered.remove(offer)
        service?.send(.disappeared(offer: offer))
    }

    nonisolated func addOffers(to router: inout BusRouter) {
        router.on(OffersInterface.list) { _ in try await self.offers() }
        router.on(OffersInterface.continue) { offer, _, client in
            try await self.continueOffer(offer, client: client)
        }
        router.on(OffersInterface.open) { offer, options, _ in try await self.openOffer(offer, options: options) }
        router.on(OffersInterface.accept) { continuation, accepted, _ in
            await self.record(.accepted(continuation, accepted))
        }
    }

    private func offers() throws -> [OfferSummary] {
        try check()
        if faults.isRemovedWhenListed { loseCircle() }
        return offered.all
    }

    private func continueOffer(_ offer: String, client: ClientID) throws -> ContinuedActivity {
        try check()
        self.client = client
        record(.continued(offer))
        return try offered.activity(of: offer)
    }

    private func openOffer(_ offer: String, options: OpenOptions) throws -> OpenedOffer {
        try check()
        return try offered.open(offer, application: options.application)
    }
}
