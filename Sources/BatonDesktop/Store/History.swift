// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// The activities that recently left this laptop, within limits. This type has no clock, so callers
/// pass the dates.
struct History: Hashable, Sendable {
    /// The maximum number of entries. If there are more entries, the oldest entries are dropped.
    static let capacity = 1_000
    /// A repetition within this time after the last one is counted in the existing entry instead of
    /// a new one.
    static let fold = Duration.seconds(600)

    /// The entries by their last times, the latest last.
    private(set) var entries: [HistoryEntry] = []

    init() {}

    init(_ entries: [HistoryEntry]) { self.entries = entries.sorted { $0.last < $1.last }.suffix(Self.capacity) }

    /// Returns when the first entry expires, or nil if there is none.
    func end(keeping length: Duration) -> Date? { entries.first?.last.addingTimeInterval(length / .seconds(1)) }

    /// Adds an activity that left this laptop.
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

    /// Removes expired entries. An entry with a future date was written before the clock was set
    /// back. Such an entry gets the current date, so that it is neither lost early nor kept for
    /// ever.
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
