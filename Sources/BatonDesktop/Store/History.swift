// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// What left this laptop of late: a value, with its limits. No clock: dates come in.
struct History: Hashable, Sendable {
    /// How many entries are kept; the oldest go first.
    static let capacity = 1_000
    /// Within what time the same again is no entry of its own: the one before counts it.
    static let fold = Duration.seconds(600)

    /// By their last times, the latest last.
    private(set) var entries: [HistoryEntry] = []

    /// None.
    init() {}

    /// What was written before.
    init(_ entries: [HistoryEntry]) { self.entries = entries.sorted { $0.last < $1.last }.suffix(Self.capacity) }

    /// When the first of the entries is to be forgotten; nil without any.
    func end(keeping length: Duration) -> Date? { entries.first?.last.addingTimeInterval(length / .seconds(1)) }

    /// Something has left.
    mutating func add(_ entry: HistoryEntry) {
        let index = entries.lastIndex { $0.isSame(as: entry) }
        if let index, entry.first.timeIntervalSince(entries[index].last) < Self.fold / .seconds(1) {
            var folded = entries.remove(at: index)
            folded.last = entry.last
            folded.count += entry.count
            entries.append(folded)
        } else {
            entries.append(entry)
        }
        entries = entries.suffix(Self.capacity)
    }

    /// Forgets what is older than is kept. An entry from a time that is still to come was written
    /// before the clock was set back: it counts as one of now, so that it is neither lost early nor
    /// kept for ever.
    ///
    /// - Returns: Whether anything has changed.
    mutating func forget(keeping length: Duration, at now: Date) -> Bool {
        let before = entries
        for index in entries.indices where entries[index].last > now {
            entries[index].first = min(entries[index].first, now)
            entries[index].last = now
        }
        entries.removeAll { $0.last.addingTimeInterval(length / .seconds(1)) <= now }
        return entries != before
    }
}

extension HistoryEntry {
    fileprivate func isSame(as other: HistoryEntry) -> Bool {
        device == other.device && application == other.application && type == other.type
    }
}
