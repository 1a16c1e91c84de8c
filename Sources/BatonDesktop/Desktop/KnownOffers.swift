// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The offers that programs have been told of, and what has become of each here. All of it goes
/// with the offer.
struct KnownOffers: Sendable {
    private struct Known {
        var summary: OfferSummary
        /// The higher, the later it appeared.
        let order: UInt64
        /// Which activity of its type the offer is of.
        var number: UInt32
        var isGivenAway: Bool
        var isContinued = false
        var isDeclined = false
        var isSettled = false
    }

    private var known: [String: Known] = [:]
    private var lastOrder: UInt64 = 0

    /// All of them, by their ids.
    var summaries: [String: OfferSummary] { known.mapValues(\.summary) }
    /// Their ids.
    var identifiers: [String] { Array(known.keys) }

    /// An offer as it is now; nil when there is no such.
    subscript(offer: String) -> OfferSummary? { known[offer]?.summary }

    /// Which activity of its type an offer is of; 0 when there is no such offer.
    func number(of offer: String) -> UInt32 { known[offer]?.number ?? 0 }

    /// Whether no other offer of its device appeared later.
    func isLatest(_ offer: String) -> Bool {
        guard let entry = known[offer] else { return false }
        return !known.values.contains { $0.summary.device == entry.summary.device && $0.order > entry.order }
    }

    /// Whether an offer is of what this device gave away, or has open: it is shown briefly.
    func isGivenAway(_ offer: String) -> Bool { known[offer]?.isGivenAway ?? false }

    /// Whether an offer was continued here: no rule continues it.
    func isContinued(_ offer: String) -> Bool { known[offer]?.isContinued ?? false }

    /// Whether the user gave up what a rule had begun: no rule continues the offer.
    func isDeclined(_ offer: String) -> Bool { known[offer]?.isDeclined ?? false }

    /// Whether an offer was continued here, or was shown briefly: nothing is shown of it while it
    /// is of the same activity.
    func isSettled(_ offer: String) -> Bool { known[offer]?.isSettled ?? false }

    /// An offer appeared, or is told of once more.
    ///
    /// - Parameters:
    ///   - number: Which activity of its type it is of.
    ///   - isGivenAway: Whether that was given away here, or is open here.
    mutating func appeared(_ offer: OfferSummary, number: UInt32, isGivenAway: Bool) {
        lastOrder += 1
        var entry =
            known[offer.offer] ?? Known(summary: offer, order: lastOrder, number: number, isGivenAway: isGivenAway)
        if entry.number != number { entry.isSettled = false }
        (entry.summary, entry.number, entry.isGivenAway) = (offer, number, isGivenAway)
        known[offer.offer] = entry
    }

    /// What programs are told of an offer is another; nothing happens when it has gone.
    mutating func changed(_ offer: OfferSummary) { known[offer.offer]?.summary = offer }

    /// An offer is gone.
    mutating func withdrawn(_ offer: String) { known[offer] = nil }

    /// An offer was continued here.
    mutating func continued(_ offer: String) {
        known[offer]?.isContinued = true
        settled(offer)
    }

    /// The user gave up what a rule had begun.
    mutating func declined(_ offer: String) { known[offer]?.isDeclined = true }

    /// An offer was shown for as long as it is to be.
    mutating func settled(_ offer: String) { known[offer]?.isSettled = true }
}
