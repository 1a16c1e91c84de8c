// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The offers that programs have been told of, and what has become of each here. All of it goes
/// with the offer.
struct KnownOffers: Sendable {
    private struct Known {
        var summary: OfferSummary
        /// The higher, the later it appeared.
        let order: UInt64
        var activity: OfferedActivity
        var isSettled = false
    }

    private var known: [String: Known] = [:]
    private var lastOrder: UInt64 = 0

    /// All of them, by their ids.
    var summaries: [String: OfferSummary] { known.mapValues(\.summary) }

    /// An offer as it is now; nil when there is no such.
    subscript(offer: String) -> OfferSummary? { known[offer]?.summary }

    /// The activity of an offer; nil when there is no such offer.
    func activity(of offer: String) -> OfferedActivity? { known[offer]?.activity }

    /// Whether no other offer of its device appeared later.
    func isLatest(_ offer: String) -> Bool {
        guard let entry = known[offer] else { return false }
        return !known.values.contains { $0.summary.device == entry.summary.device && $0.order > entry.order }
    }

    /// Whether an offer was continued here, or was shown briefly: nothing is shown of it while it
    /// is of the same activity.
    func isSettled(_ offer: String) -> Bool { known[offer]?.isSettled ?? false }

    /// An offer of an activity appeared, or is told of once more.
    mutating func appeared(_ offer: OfferSummary, of activity: OfferedActivity) {
        lastOrder += 1
        var entry = known[offer.offer] ?? Known(summary: offer, order: lastOrder, activity: activity)
        if entry.activity.number != activity.number { entry.isSettled = false }
        (entry.summary, entry.activity) = (offer, activity)
        known[offer.offer] = entry
    }

    /// What programs are told of an offer is another; nothing happens when it has gone.
    mutating func changed(_ offer: OfferSummary) { known[offer.offer]?.summary = offer }

    /// An offer is gone.
    mutating func withdrawn(_ offer: String) { known[offer] = nil }

    /// An offer was continued here, or was shown for as long as it is to be.
    mutating func settled(_ offer: String) { known[offer]?.isSettled = true }
}
