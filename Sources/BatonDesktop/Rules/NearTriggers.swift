// SPDX-License-Identifier: Apache-2.0

/// The triggers of the offers that a rule continues once their device is near, and which of those
/// devices are being made sure of.
struct NearTriggers: Sendable {
    private var triggers: [String: NearTrigger] = [:]
    private var reaching: Set<String> = []

    /// When to ``timePassed(at:)`` next; nil for never.
    var deadline: Duration? { triggers.values.compactMap(\.deadline).min() }
    /// All of them.
    var all: [NearTrigger] { Array(triggers.values) }

    /// The offers whose rules wait for a signal that the radio does not tell.
    var unheard: [String] { triggers.filter(\.value.isUnheard).keys.sorted() }

    /// The trigger of an offer, if a rule continues it.
    subscript(offer: String) -> NearTrigger? { triggers[offer] }

    /// Whether an offer's device is near, and nothing was begun yet, nor is about to be.
    func isPending(_ offer: String) -> Bool { triggers[offer]?.isPending == true && !reaching.contains(offer) }

    /// An offer's device is heard so strongly, in dBm, or nothing is known of it.
    ///
    /// - Parameter threshold: That of the rule, for an offer without a trigger.
    mutating func heard(_ offer: String, _ signal: Int?, threshold: Int, at uptime: Duration) {
        triggers[offer, default: NearTrigger(threshold: threshold)].heard(signal, at: uptime)
    }

    /// No rule continues an offer any more, or it has gone.
    mutating func forget(_ offer: String) { triggers[offer] = nil }

    /// It is so late now.
    ///
    /// - Returns: The offers whose devices have come near just now, or are to be tried again.
    mutating func timePassed(at uptime: Duration) -> [String] {
        var come: [String] = []
        for offer in triggers.keys.sorted() where triggers[offer]?.timePassed(at: uptime) == true { come.append(offer) }
        return come
    }

    /// An offer's device is about to be made sure of.
    mutating func beginReaching(_ offer: String) { reaching.insert(offer) }

    /// It answered near by, or it did not.
    mutating func endReaching(_ offer: String, isReached: Bool, at uptime: Duration) {
        reaching.remove(offer)
        if !isReached { triggers[offer]?.missed(at: uptime) }
    }

    /// An offer is being continued, or is not to be.
    mutating func settle(_ offer: String) { triggers[offer]?.settle() }

    /// What was begun has failed, and may do better in a while.
    mutating func tryAgain(_ offer: String, at uptime: Duration) { triggers[offer]?.tryAgain(at: uptime) }
}
