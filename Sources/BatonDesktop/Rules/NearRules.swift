// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// The offers that rules continue when their devices are near. This type has no clock, so callers
/// pass the time.
///
/// Anybody can replay a device's advertisement. So an offer whose device seems near is taken first
/// (``take(at:where:)``). The offer is continued after its device has answered at close range
/// (``answered(_:isReached:mayContinue:at:)``). No offer is continued twice.
struct NearRules: Sendable {
    /// How long the radio must have listened again before a rule acts on its reports.
    static let listeningTime = Duration.seconds(20)

    private struct Candidate: Sendable {
        /// The trigger, or nil while no rule continues the offer.
        var trigger: NearTrigger?
        /// Whether the offer was continued here, or the user cancelled a rule's hand-over.
        var isOver = false
    }

    private var candidates: [String: Candidate] = [:]
    /// The offers whose devices are being asked to answer at close range. Withdrawn offers stay in
    /// this set.
    private var reaching: Set<String> = []
    /// The time from which rules may act, or nil if they may act now.
    private var begin: Duration?

    /// When to call ``timePassed(at:)`` next, or nil for never.
    var deadline: Duration? { (candidates.values.map { $0.trigger?.deadline } + [begin]).compactMap(\.self).min() }

    /// The offers whose rules wait for a signal strength that the radio does not report.
    var unheard: [String] { candidates.filter { $0.value.trigger?.isUnheard == true }.keys.sorted() }

    /// Returns the finding that a rule waits for the signal strength of a named device.
    static func finding(_ name: String) -> Finding {
        Finding(.signalUnknown, ["laptop": .text(name)])
    }

    /// Returns whether an offer's device is near and its rule has not been carried out yet.
    func isNear(_ offer: String) -> Bool { candidates[offer]?.trigger?.isPending == true }

    /// Updates an offer that appeared or changed, or whose rule changed.
    ///
    /// - Parameter threshold: The signal strength in dBm from which a rule continues the offer, or
    ///   nil if no rule does.
    mutating func changed(_ offer: OfferSummary, threshold: Int?, at uptime: Duration) {
        var candidate = candidates[offer.offer] ?? Candidate()
        candidate.trigger = threshold.map { candidate.trigger ?? NearTrigger(threshold: $0) }
        candidate.trigger?.heard(offer.signal, at: uptime)
        candidates[offer.offer] = candidate
    }

    mutating func withdrawn(_ offer: String) { candidates[offer] = nil }

    /// Resets all triggers after a change of the rules. Each device has to come near again.
    mutating func rulesChanged() { for offer in candidates.keys { candidates[offer]?.trigger = nil } }

    /// Records that the radio begins to listen again. Rules wait for ``listeningTime``, because the
    /// known signal strengths are out of date.
    mutating func beginListening(at uptime: Duration) { begin = uptime + Self.listeningTime }

    /// Updates the state to the current time.
    mutating func timePassed(at uptime: Duration) {
        if let begin, uptime >= begin { self.begin = nil }
        for offer in candidates.keys { candidates[offer]?.trigger?.timePassed(at: uptime) }
    }

    /// Takes the offers whose devices are near. The caller must then verify each device over the
    /// radio.
    ///
    /// - Parameter mayContinue: Returns whether an offer can be continued now, while the user can
    ///   see it.
    /// - Returns: The offers, and the signal strength in dBm that each device's answer must have.
    mutating func take(at uptime: Duration, where mayContinue: (String) -> Bool) -> [(offer: String, signal: Int)] {
        let due = candidates.keys.sorted().filter { isDue($0, at: uptime) && mayContinue($0) }
        reaching.formUnion(due)
        return due.compactMap { offer in candidates[offer]?.trigger.map { (offer, $0.lowest) } }
    }

    /// Records whether a device answered at close range.
    ///
    /// - Returns: Whether to carry out the rule now.
    mutating func answered(_ offer: String, isReached: Bool, mayContinue: Bool, at uptime: Duration) -> Bool {
        reaching.remove(offer)
        if !isReached { candidates[offer]?.trigger?.missed(at: uptime) }
        guard isReached, mayContinue, isDue(offer, at: uptime) else { return false }
        candidates[offer]?.trigger?.settle()
        return true
    }

    /// Records that an offer was continued here. No rule continues it again.
    mutating func continued(_ offer: String) { candidates[offer]?.isOver = true }

    /// Records that a rule's continuation failed. The rule tries again if the failure may be
    /// temporary, and never if the user cancelled it.
    mutating func failed(_ offer: String, _ code: BatonError.Code, at uptime: Duration) {
        switch code {
        case .userCancelled: candidates[offer]?.isOver = true
        case .handoffFailed, .connectionUnavailable, .remoteApplicationTimedOut, .radioUnavailable, .limitReached:
            candidates[offer]?.trigger?.tryAgain(at: uptime)
        default: break
        }
    }

    private func isDue(_ offer: String, at uptime: Duration) -> Bool {
        isNear(offer) && candidates[offer]?.isOver == false && !reaching.contains(offer)
            && uptime >= begin ?? uptime
    }
}
