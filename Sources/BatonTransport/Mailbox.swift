// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue of changes to a table, for one consumer that may be slower than the changes.
///
/// Only the latest value of each key waits, in the place of the key's earlier value. If an entry
/// appears and disappears before the consumer has received it, the consumer never hears of the
/// entry. If the consumer knows an entry, it always receives the entry's removal. So the queue
/// never has more elements than there are entries that exist or that the consumer knows.
public final class Mailbox<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The change of one entry since the consumer last heard of it.
    public struct News: Sendable {
        /// The entry's key.
        public let key: Key
        /// The entry's value now, or nil if the entry was removed.
        public let value: Value?
        /// Whether the consumer knew the key before.
        public let wasKnown: Bool
    }

    private struct State {
        var waiting: [Key: Value?] = [:]
        /// The keys that wait, the oldest first.
        var order: [Key] = []
        /// The keys that the consumer knows.
        var known: Set<Key> = []
        /// The number of waiting keys that the consumer does not know.
        var newcomers = 0
        var isFinished = false

        func isRoom(for key: Key, limit: Int) -> Bool {
            waiting[key] != nil || known.contains(key) || known.count + newcomers < limit
        }

        mutating func put(_ value: Value?, for key: Key) {
            guard waiting.updateValue(value, forKey: key) == nil else { return }
            order.append(key)
            if !known.contains(key) { newcomers += 1 }
        }

        mutating func remove(_ key: Key) {
            if known.contains(key) { return put(nil, for: key) }
            guard waiting.removeValue(forKey: key) != nil else { return }
            order.removeAll { $0 == key }
            newcomers -= 1
        }

        mutating func take() -> News? {
            guard !order.isEmpty, let value = waiting.removeValue(forKey: order[0]) else { return nil }
            let key = order.removeFirst()
            let wasKnown = known.contains(key)
            if !wasKnown { newcomers -= 1 }
            if value == nil { known.remove(key) } else { known.insert(key) }
            return News(key: key, value: value, wasKnown: wasKnown)
        }
    }

    private let state = Mutex(State())
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// Creates an empty mailbox.
    public init() {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of changes that wait.
    public var count: Int { state.withLock(\.order.count) }

    /// Sets the value of an entry.
    ///
    /// - Parameter limit: The maximum number of keys that wait or are known to the consumer. A new
    ///   key beyond the limit is refused.
    /// - Returns: Whether the value was accepted. Until ``finish()`` is called, a value for a key
    ///   that waits or is known is always accepted.
    @discardableResult
    public func put(_ value: Value, for key: Key, limit: Int = .max) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isFinished, state.isRoom(for: key, limit: limit) else { return false }
            state.put(value, for: key)
            return true
        }
        if isTaken { wakeUp.yield() }
        return isTaken
    }

    /// Records that an entry was removed.
    public func remove(_ key: Key) {
        state.withLock { if !$0.isFinished { $0.remove(key) } }
        wakeUp.yield()
    }

    /// Waits for the next change and returns it. Only one consumer may call this function.
    ///
    /// Returns nil if nothing waits and either ``finish()`` was called or the task is cancelled. Do
    /// not call this function again after that.
    public func next() async -> News? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let news = state.withLock({ $0.take() }) { return news }
            guard await wakeUps.next() != nil else { return state.withLock { $0.take() } }
        }
    }

    /// Ends the mailbox. The consumer still receives the changes that wait.
    public func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.finish()
    }
}
