// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// The offers that rules continue once their devices are near. No clock: times are told.
///
/// Anybody can replay what a device advertises. So an offer whose device seems near is taken first
/// (``take(at:where:)``). It is continued once its device has answered near by
/// (``answered(_:isReached:mayContinue:at:)``). Nothing is continued twice.
struct NearRules: Sendable {
    /// How long the radio has listened, after it had not, before a rule acts on what it tells.
    static let listeningTime = Duration.seconds(20)

    private struct Candidate: Sendable {
        /// Nil while no rule continues the offer.
        var trigger: NearTrigger?
        /// The offer was continued here, or the user gave up what a rule had begun.
        var isOver = false
    }

    /// One for each offer.
    private var candidates: [String: Candidate] = [:]
    /// The offers whose devices are being made sure of, whatever has become of the offers.
    private var reaching: Set<String> = []
    /// From when on rules may act; nil when they may.
    private var begin: Duration?

    /// When to ``timePassed(at:)`` next; nil for never.
    var deadline: Duration? { (candidates.values.map { $0.trigger?.deadline } + [begin]).compactMap(\.self).min() }

    /// The offers whose rules wait for a signal that the radio does not tell.
    var unheard: [String] { candidates.filter { $0.value.trigger?.isUnheard == true }.keys.sorted() }

    /// Tells of a rule that waits for the signal of a device, by the device's name.
    static func finding(_ name: String) -> Finding {
        Finding(
            .signalUnknown,
            "a rule continues what \(name) offers once it is near, and the radio does not tell how near it is: the rule waits "
                + "for that; 'baton open' continues it now")
    }

    /// Whether an offer's device is near, and what its rule is for was not begun yet.
    func isNear(_ offer: String) -> Bool { candidates[offer]?.trigger?.isPending == true }

    /// An offer appeared or changed, or another rule is about it.
    ///
    /// - Parameter threshold: From how many dBm on a rule continues the offer; nil when none does.
    mutating func changed(_ offer: OfferSummary, threshold: Int?, at uptime: Duration) {
        var candidate = candidates[offer.offer] ?? Candidate()
        candidate.trigger = threshold.map { candidate.trigger ?? NearTrigger(threshold: $0) }
        candidate.trigger?.heard(offer.signal, at: uptime)
        candidates[offer.offer] = candidate
    }

    /// An offer is gone.
    mutating func withdrawn(_ offer: String) { candidates[offer] = nil }

    /// There are other rules: each device has to come near anew.
    mutating func rulesChanged() { for offer in candidates.keys { candidates[offer]?.trigger = nil } }

    /// The radio begins to listen again: what is known of who is near is of before.
    mutating func beginListening(at uptime: Duration) { begin = uptime + Self.listeningTime }

    /// It is so late now.
    mutating func timePassed(at uptime: Duration) {
        if let begin, uptime >= begin { self.begin = nil }
        for offer in candidates.keys { candidates[offer]?.trigger?.timePassed(at: uptime) }
    }

    /// Takes the offers whose devices are near: each device is to be made sure of now.
    ///
    /// - Parameter mayContinue: Whether an offer can be continued now, and the user can see it.
    /// - Returns: The offers, and how strongly in dBm each device has to be heard.
    mutating func take(at uptime: Duration, where mayContinue: (String) -> Bool) -> [(offer: String, signal: Int)] {
        let due = candidates.keys.sorted().filter { isDue($0, at: uptime) && mayContinue($0) }
        reaching.formUnion(due)
        return due.compactMap { offer in candidates[offer]?.trigger.map { (offer, $0.lowest) } }
    }

    /// A device that was to be made sure of has answered near by, or has not.
    ///
    /// - Returns: Whether its rule is carried out now.
    mutating func answered(_ offer: String, isReached: Bool, mayContinue: Bool, at uptime: Duration) -> Bool {
        reaching.remove(offer)
        if !isReached { candidates[offer]?.trigger?.missed(at: uptime) }
        guard isReached, mayContinue, isDue(offer, at: uptime) else { return false }
        candidates[offer]?.trigger?.settle()
        return true
    }

    /// An offer was continued here: no rule continues it.
    mutating func continued(_ offer: String) { candidates[offer]?.isOver = true }

    /// A rule's continuation has failed. It is tried again if the failure may pass, and never if
    /// the user gave it up.
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
