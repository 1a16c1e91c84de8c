// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Chooses the offer that panels show, by the rule in Documentation/DBus/Panel.md.
///
/// The shown offer stays as long as possible, because nobody can click on something that flickers.
/// This type uses no clock and no bus.
struct BestOffer: Sendable {
    /// How much stronger another offer's signal must be to replace the shown one, in dB.
    static let hysteresis = NearTrigger.hysteresis

    /// The id of the last chosen offer, or nil if there was none.
    private(set) var current: String?
    /// When each offer became a candidate. A higher number is a later time.
    private var arrivals: [String: UInt64] = [:]
    private var lastArrival: UInt64 = 0

    /// Chooses the best of the current candidates.
    ///
    /// - Parameter candidates: All offers that the user could continue here now.
    /// - Returns: The id of the best offer, or nil if there is none.
    mutating func choose(among candidates: [OfferSummary]) -> String? {
        let names = Set(candidates.map(\.offer))
        arrivals = arrivals.filter { names.contains($0.key) }
        let newcomers = Set(names.subtracting(arrivals.keys))
        // Sort, so that the order is deterministic.
        for name in newcomers.sorted() {
            lastArrival += 1
            arrivals[name] = lastArrival
        }
        guard var best = candidates.first(where: { $0.offer == current }) else {
            current = candidates.max { isBetter($1, than: $0) }?.offer
            return current
        }
        for other in candidates where other.offer != best.offer {
            if displaces(other, best, isNew: newcomers.contains(other.offer)) { best = other }
        }
        current = best.offer
        return current
    }

    /// Returns whether an offer ranks before another one while no offer is shown. Offers for an app
    /// come before those for the browser, then the strongest signal, then the latest arrival.
    private func isBetter(_ one: OfferSummary, than other: OfferSummary) -> Bool {
        (one.hasApp ? 1 : 0, one.strength, arrivals[one.offer] ?? 0)
            > (other.hasApp ? 1 : 0, other.strength, arrivals[other.offer] ?? 0)
    }

    /// Returns whether an offer replaces the shown one. A new offer may replace the shown one once,
    /// unless its signal is clearly weaker, because the user has just begun that activity.
    private func displaces(_ other: OfferSummary, _ shown: OfferSummary, isNew: Bool) -> Bool {
        guard other.hasApp == shown.hasApp else { return other.hasApp }
        if isNew { return other.strength > shown.strength - Self.hysteresis }
        return other.strength >= shown.strength + Self.hysteresis
    }
}

extension OfferSummary {
    /// Whether an app here continues the offer, and not only the browser.
    fileprivate var hasApp: Bool { application != nil }
    /// The signal in dBm. An unknown signal counts as weaker than any known one.
    fileprivate var strength: Int { signal ?? -1_000 }
}
