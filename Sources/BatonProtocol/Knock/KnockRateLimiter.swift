// SPDX-License-Identifier: Apache-2.0

/// How many knocks are tried against the keys in any second, on one transport.
///
/// A source has ``KnockLimits/knocksPerSource``. Sources from which a knock was proved within
/// ``KnockLimits/sourceMemory`` are *known*; all that are, and all that are not, have
/// ``KnockLimits/knocksPerSecond`` together. So strangers, be they at ever so many addresses, use
/// up what strangers have, and members are tried where they were before.
struct KnockRateLimiter: Sendable {
    private struct Knock: Sendable {
        var source: String
        var isKnown: Bool
        var time: Duration
    }

    /// Those of the last second, oldest first.
    private var knocks: [Knock] = []
    /// When a knock of a source was proved last.
    private var provedAt: [String: Duration] = [:]

    /// Whether one more knock of a source may be tried; if so, it counts.
    mutating func spend(from source: String, at uptime: Duration) -> Bool {
        knocks.removeAll { uptime - $0.time >= .seconds(1) }
        let knock = Knock(source: source, isKnown: isKnown(source, at: uptime), time: uptime)
        guard knocks.count(where: { $0.source == source }) < KnockLimits.knocksPerSource,
            knocks.count(where: { $0.isKnown == knock.isKnown }) < KnockLimits.knocksPerSecond
        else { return false }
        knocks.append(knock)
        return true
    }

    /// Whether a knock of a source was proved lately.
    func isKnown(_ source: String, at uptime: Duration) -> Bool {
        provedAt[source].map { uptime - $0 < KnockLimits.sourceMemory } ?? false
    }

    /// A knock of a source was proved; of too many sources the one that was proved the longest ago
    /// is forgotten.
    mutating func known(_ source: String, at uptime: Duration) {
        provedAt[source] = uptime
        if provedAt.count > KnockLimits.rememberedSources, let oldest = provedAt.min(by: { $0.value < $1.value }) {
            provedAt[oldest.key] = nil
        }
    }
}
