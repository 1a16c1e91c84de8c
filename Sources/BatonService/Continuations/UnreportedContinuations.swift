// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Activities of this device that others have fetched, where nobody has said whether an app took
/// them over: the channel ended before.
///
/// The other device can still say it over another channel, or fetch the activity again; its
/// publisher is told that nothing came of it when neither happens soon.
struct UnreportedContinuations: Sendable {
    /// What a device was granted, and what it would say of it.
    struct Continuation: Hashable, Sendable {
        let device: DeviceID
        let acceptance: Acceptance
    }

    private struct Entry: Sendable {
        let continuation: Continuation
        /// The uptime at which its publisher is told; nil once it was.
        var telling: Duration?
        /// The uptime at which an acceptance comes too late.
        let end: Duration
    }

    /// How many are remembered; those longest known go first.
    static let maximum = 64
    /// How long the other device has before the publisher is told: to find that the channel is
    /// gone, and another way.
    static let grace = Duration.seconds(15)

    /// The latest last.
    private var entries: [Entry] = []

    /// How many there are.
    var count: Int { entries.count }
    /// The uptime at which ``due(at:)`` has something to do.
    var deadline: Duration? { entries.map { $0.telling ?? $0.end }.min() }

    /// A channel ended before it was said.
    mutating func insert(_ continuation: Continuation, at uptime: Duration) {
        entries.append(
            Entry(
                continuation: continuation, telling: uptime + Self.grace, end: uptime + Session.Limits().report))
        entries = entries.suffix(Self.maximum)
    }

    /// The device has fetched the activity again: what comes of that is told, and of what it had
    /// fetched before only that it was accepted after all.
    mutating func fetchedAgain(_ instance: [UInt8], by device: DeviceID) {
        for (index, entry) in zip(entries.indices, entries)
        where entry.continuation.device == device && entry.continuation.acceptance.instance == instance {
            entries[index].telling = nil
        }
    }

    /// It was said.
    ///
    /// - Returns: Whether it was still to be said.
    mutating func remove(_ continuation: Continuation) -> Bool {
        guard let index = entries.firstIndex(where: { $0.continuation == continuation }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Those whose publishers are to be told now; what comes too late by now is forgotten.
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
