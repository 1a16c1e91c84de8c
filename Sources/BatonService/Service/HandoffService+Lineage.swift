// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport

/// What this device gave away, and what it has open: neither is for a rule to continue.
extension HandoffService {
    /// What is known of an offer's activity before it is fetched.
    ///
    /// What has gone through a third device shows only when it is fetched, and is declined then
    /// where it would be continued by itself.
    ///
    /// - Returns: Nil when there is no such offer.
    public func activity(of offer: String) -> OfferedActivity? {
        sightings.book.offers.first { $0.id == offer }.map { offer in
            OfferedActivity(
                isFromHere: isFromHere(offer), number: offer.since,
                account: member(short: offer.device).map { account(of: $0).description } ?? "")
        }
    }

    private func isFromHere(_ offer: Offer) -> Bool {
        apps.lineage.hasGiven(offer) || apps.lineage.taken(offer).map(isOpen) ?? false
    }

    /// Whether an activity was given away by this device, or is open on it.
    func isFromHere(origin: [UInt8]) -> Bool { apps.lineage.hasGiven(origin) || isOpen(origin) }

    private func isOpen(_ origin: [UInt8]) -> Bool { apps.registry.all.contains { $0.origin == origin } }

    /// An app that keeps one activity for whatever is in it goes on in that with what it takes
    /// over: nothing is published anew then.
    func adoptOrigin(_ activity: String, client: ClientID) {
        guard let entry = try? apps.registry.entry(activity, of: client),
            let origin = origin(of: entry.state.activityType, by: client)
        else { return }
        apps.registry.adopt(origin, for: activity, of: client)
    }

    /// What an activity that a program publishes began as; nil for one that begins here.
    func origin(of type: String, by client: ClientID) -> [UInt8]? {
        apps.lineage.origin(ofType: type, by: client, pending: continuations.pending(of: client), at: clock.uptime)
    }
}
