// SPDX-License-Identifier: Apache-2.0

/// Limits the number of knocks that are checked in a second on one transport.
///
/// ``KnockLimits/knocksPerSource`` limits each source. A source is *known* if it proved a knock
/// within ``KnockLimits/sourceMemory``. ``KnockLimits/knocksPerSecond`` limits all known sources
/// together, and separately all unknown ones. So strangers with many addresses only use up the
/// share of unknown sources, and do not delay members.
struct KnockRateLimiter: Sendable {
    private struct Knock: Sendable {
        var source: String
        var isKnown: Bool
        var time: Duration
    }

    /// The knocks of the last second, the oldest first.
    private var knocks: [Knock] = []
    /// The time of each source's last proved knock.
    private var provedAt: [String: Duration] = [:]

    /// Returns whether another knock of a source may be tried, and if so, counts the knock.
    mutating func spend(from source: String, at uptime: Duration) -> Bool {
        knocks.removeAll { uptime - $0.time >= .seconds(1) }
        let knock = Knock(source: source, isKnown: isKnown(source, at: uptime), time: uptime)
        guard knocks.count(where: { $0.source == source }) < KnockLimits.knocksPerSource,
            knocks.count(where: { $0.isKnown == knock.isKnown }) < KnockLimits.knocksPerSecond
        else { return false }
        knocks.append(knock)
        return true
    }

    /// Returns whether a source proved a knock recently.
    func isKnown(_ source: String, at uptime: Duration) -> Bool {
        provedAt[source].map { uptime - $0 < KnockLimits.sourceMemory } ?? false
    }

    /// Records that a source proved a knock.
    ///
    /// Beyond the limit, the source whose last proved knock is the oldest is forgotten.
    mutating func known(_ source: String, at uptime: Duration) {
        provedAt[source] = uptime
        if provedAt.count > KnockLimits.rememberedSources, let oldest = provedAt.min(by: { $0.value < $1.value }) {
            provedAt[oldest.key] = nil
        }
    }
}
