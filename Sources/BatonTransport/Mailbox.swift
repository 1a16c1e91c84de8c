// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How the entries of a table stand, for one consumer that may be slower than they change: a queue
/// that does not grow with the changes.
///
/// Of each key the latest value waits, in the place of the one before it. What comes and goes
/// before the consumer has heard of it is not told at all; that something has gone is always told
/// to a consumer that knows of it. So no more waits than the consumer knows and than there is.
public final class Mailbox<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What has become of a key since the consumer heard of it last.
    public struct News: Sendable {
        /// Whose entry it is.
        public let key: Key
        /// How it stands now; nil when it has gone.
        public let value: Value?
        /// Whether the consumer knew of the key before.
        public let wasKnown: Bool
    }

    private struct State {
        var waiting: [Key: Value?] = [:]
        /// The keys that wait, the longest first.
        var order: [Key] = []
        /// What the consumer knows of.
        var known: Set<Key> = []
        /// How many of those that wait it does not know of.
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

    /// A mailbox with nothing in it.
    public init() {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many news wait.
    public var count: Int { state.withLock(\.order.count) }

    /// Says how an entry stands now.
    ///
    /// - Parameter limit: How many keys may be known to the consumer or wait in all, so that a key
    ///   that is neither finds room.
    /// - Returns: Whether it found room; always, when its key is known or waits. After ``finish()``
    ///   nothing does.
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

    /// Says that an entry has gone.
    public func remove(_ key: Key) {
        state.withLock { if !$0.isFinished { $0.remove(key) } }
        wakeUp.yield()
    }

    /// The next news, once there are any; nil at the end, or when the task is cancelled, after
    /// which there are no more. For one consumer.
    public func next() async -> News? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let news = state.withLock({ $0.take() }) { return news }
            guard await wakeUps.next() != nil else { return state.withLock { $0.take() } }
        }
    }

    /// Ends it: what waits is still told.
    public func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.finish()
    }
}
