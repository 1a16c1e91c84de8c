// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// Which of the offers a panel shows, if it shows one: Documentation/DBus/Panel.md has the rule.
///
/// What is shown stays as long as it can, for nobody can click what flickers. No clock, no bus: a
/// value.
struct BestOffer: Sendable {
    /// By how much another has to be stronger than the one that is shown, in dB.
    static let hysteresis = NearTrigger.hysteresis

    /// The offer that was chosen last; nil when there was none.
    private(set) var current: String?
    /// When each became a candidate: the higher, the later.
    private var arrivals: [String: UInt64] = [:]
    private var lastArrival: UInt64 = 0

    /// Chooses anew.
    ///
    /// - Parameter candidates: All offers that the user could continue here now.
    /// - Returns: The best; nil when there is none.
    mutating func choose(among candidates: [OfferSummary]) -> String? {
        let names = Set(candidates.map(\.offer))
        arrivals = arrivals.filter { names.contains($0.key) }
        let newcomers = Set(names.subtracting(arrivals.keys))
        // In an order that does not depend on chance.
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

    /// Without one that is shown: an app before the browser, then the strongest, then the latest.
    private func isBetter(_ one: OfferSummary, than other: OfferSummary) -> Bool {
        (one.hasApp ? 1 : 0, one.strength, arrivals[one.offer] ?? 0)
            > (other.hasApp ? 1 : 0, other.strength, arrivals[other.offer] ?? 0)
    }

    /// What is new has one chance to come before what is shown, unless it is clearly weaker: the
    /// user has just begun it.
    private func displaces(_ other: OfferSummary, _ shown: OfferSummary, isNew: Bool) -> Bool {
        guard other.hasApp == shown.hasApp else { return other.hasApp }
        if isNew { return other.strength > shown.strength - Self.hysteresis }
        return other.strength >= shown.strength + Self.hysteresis
    }
}

extension OfferSummary {
    /// Whether an app here continues it, and not only the browser.
    fileprivate var hasApp: Bool { application != nil }
    /// The signal in dBm; one that the radio does not say counts as weaker than all that it says.
    fileprivate var strength: Int { signal ?? -1_000 }
}
