// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The acceptances of one device whose grants may still have an open channel here.
///
/// If a channel breaks, the other device can notice that first. It then sends its acceptance over
/// another channel before this device notices that the grant's channel broke. Such an acceptance
/// counts when the outcome of the grant is known. An acceptance without a grant never counts.
struct EarlyAcceptances: Sendable {
    /// The maximum number of acceptances that are remembered. The oldest acceptances are forgotten
    /// first.
    static let maximum = 16

    /// The acceptances, the latest last, each with the uptime from which it comes too late.
    private var entries: [(acceptance: Acceptance, end: Duration)] = []

    /// The number of acceptances that are remembered.
    var count: Int { entries.count }

    /// Records an acceptance.
    mutating func insert(_ acceptance: Acceptance, at uptime: Duration) {
        entries.removeAll { $0.acceptance == acceptance || $0.end <= uptime }
        entries.append((acceptance, uptime + Session.Limits().report))
        entries = entries.suffix(Self.maximum)
    }

    /// Removes an acceptance, because the outcome of its grant is known now.
    ///
    /// - Returns: Whether the acceptance had come, less than ``Session/Limits/report`` ago.
    mutating func remove(_ acceptance: Acceptance, at uptime: Duration) -> Bool {
        entries.removeAll { $0.end <= uptime }
        let count = entries.count
        entries.removeAll { $0.acceptance == acceptance }
        return entries.count < count
    }
}
