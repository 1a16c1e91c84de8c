// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Activities of this device that another device may have taken over. The channel ended before the
/// other device reported the outcome.
///
/// The other device can still report the outcome over another channel, or fetch the activity again.
/// If neither happens soon, the publisher learns that the continuation failed.
struct UnreportedContinuations: Sendable {
    /// A continuation that a device was granted, and the acceptance that the device would send.
    struct Continuation: Hashable, Sendable {
        let device: DeviceID
        let acceptance: Acceptance
    }

    private struct Entry: Sendable {
        let continuation: Continuation
        /// The uptime at which the publisher is told that the continuation failed, or nil if it
        /// need not be told.
        var telling: Duration?
        /// The uptime from which an acceptance comes too late.
        let end: Duration
    }

    /// The maximum number of continuations that are remembered. The oldest continuations are
    /// forgotten first.
    static let maximum = 64
    /// How long the other device has before the publisher is told.
    ///
    /// In this time the device must notice that the channel is broken, and open another channel.
    static let grace = Duration.seconds(15)

    /// The continuations, the latest last.
    private var entries: [Entry] = []

    var count: Int { entries.count }
    /// The uptime at which ``due(at:)`` must be called, or nil if there are no continuations.
    var deadline: Duration? { entries.map { $0.telling ?? $0.end }.min() }

    /// Records a continuation whose channel closed before the peer reported its outcome.
    mutating func insert(_ continuation: Continuation, at uptime: Duration) {
        entries.append(
            Entry(
                continuation: continuation, telling: uptime + Self.grace, end: uptime + Session.Limits().report))
        entries = entries.suffix(Self.maximum)
    }

    /// Records that the device has fetched the activity again.
    ///
    /// The publisher hears of the new fetch's outcome, and of the earlier fetch only if that fetch
    /// was accepted after all.
    mutating func fetchedAgain(_ instance: [UInt8], by device: DeviceID) {
        for (index, entry) in zip(entries.indices, entries)
        where entry.continuation.device == device && entry.continuation.acceptance.instance == instance {
            entries[index].telling = nil
        }
    }

    /// Records that the outcome was reported.
    ///
    /// - Returns: Whether the outcome was still unknown.
    mutating func remove(_ continuation: Continuation) -> Bool {
        guard let index = entries.firstIndex(where: { $0.continuation == continuation }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Returns the continuations whose publishers must be told now.
    ///
    /// Also forgets the continuations whose acceptance would come too late.
    mutating func due(at uptime: Duration) -> [Continuation] {
        var due: [Continuation] = []
        for index in entries.indices {
            guard let telling = entries[index].telling, telling <= uptime else { continue }
            entries[index].telling = nil
            due.append(entries[index].continuation)
        }
        entries.removeAll { $0.end <= uptime }
        return due
    }
}
