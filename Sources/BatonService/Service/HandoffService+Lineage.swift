// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport

/// Activities that this device gave away or has open. Rules never continue these activities.
extension HandoffService {
    /// Returns the facts about an offer's activity that are known before it is fetched.
    ///
    /// An activity that came to this device through a third device is recognized only when it is
    /// fetched. If a rule fetched the activity, this device then declines it.
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

    /// Returns whether this device gave an activity away or has it open.
    func isFromHere(origin: [UInt8]) -> Bool { apps.lineage.hasGiven(origin) || isOpen(origin) }

    private func isOpen(_ origin: [UInt8]) -> Bool { apps.registry.all.contains { $0.origin == origin } }

    /// Gives an activity the origin of the activity that its app took over. Some apps keep one
    /// activity for all their contents, and publish no new activity when they continue one.
    func adoptOrigin(_ activity: String, client: ClientID) {
        guard let entry = try? apps.registry.entry(activity, of: client),
            let origin = origin(of: entry.state.activityType, by: client)
        else { return }
        apps.registry.adopt(origin, for: activity, of: client)
    }

    /// Returns the origin of an activity that a program publishes; nil if the activity begins on
    /// this device.
    func origin(of type: String, by client: ClientID) -> [UInt8]? {
        apps.lineage.origin(ofType: type, by: client, pending: continuations.pending(of: client), at: clock.uptime)
    }
}
