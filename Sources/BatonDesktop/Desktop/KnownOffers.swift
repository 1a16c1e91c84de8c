// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The announced offers, and the state of each on this laptop. All of an offer's state is forgotten
/// with the offer.
struct KnownOffers: Sendable {
    private struct Known {
        var summary: OfferSummary
        /// The order of appearance. Later offers have higher numbers.
        let order: UInt64
        var activity: OfferedActivity
        var isSettled = false
    }

    private var known: [String: Known] = [:]
    private var lastOrder: UInt64 = 0

    /// The announced offers, by their ids.
    var summaries: [String: OfferSummary] { known.mapValues(\.summary) }

    /// An offer in its current form, or nil if there is none with this id.
    subscript(offer: String) -> OfferSummary? { known[offer]?.summary }

    /// Returns the activity of an offer, or nil if there is no such offer.
    func activity(of offer: String) -> OfferedActivity? { known[offer]?.activity }

    /// Returns whether an offer is the latest one of its device.
    func isLatest(_ offer: String) -> Bool {
        guard let entry = known[offer] else { return false }
        return !known.values.contains { $0.summary.device == entry.summary.device && $0.order > entry.order }
    }

    /// Returns whether an offer was continued here, or its brief notification has ended. Such an
    /// offer gets no notification until it is about another activity.
    func isSettled(_ offer: String) -> Bool { known[offer]?.isSettled ?? false }

    /// Records that an offer appeared or was announced again.
    mutating func appeared(_ offer: OfferSummary, of activity: OfferedActivity) {
        lastOrder += 1
        var entry = known[offer.offer] ?? Known(summary: offer, order: lastOrder, activity: activity)
        if entry.activity.number != activity.number { entry.isSettled = false }
        (entry.summary, entry.activity) = (offer, activity)
        known[offer.offer] = entry
    }

    /// Replaces the announced form of an offer. Does nothing if the offer was withdrawn.
    mutating func changed(_ offer: OfferSummary) { known[offer.offer]?.summary = offer }

    mutating func withdrawn(_ offer: String) { known[offer] = nil }

    /// Records that an offer was continued here, or that its brief notification has ended.
    mutating func settled(_ offer: String) { known[offer]?.isSettled = true }
}
