// SPDX-License-Identifier: Apache-2.0

/// When a radio's intervals follow each other, and when it rests: nothing wakes a machine whose
/// radio has nobody to send to and nobody to listen for.
struct Pace {
    /// An element whenever the intervals are to begin.
    let begins: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation
    /// Whether the intervals go on.
    var isKept = false
    /// How many radios there were to send to, the last time.
    var listeners = 0
    /// When the last interval began, since the intervals did.
    private var last: Duration?

    init() {
        (begins, beginning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Has the intervals begin, unless they go on.
    mutating func begin() {
        guard !isKept else { return }
        isKept = true
        last = nil
        beginning.yield()
    }

    /// Notes an interval.
    ///
    /// - Returns: For how long this radio, or its machine, stood still: what is more than two
    ///   intervals since the last.
    mutating func stoodStill(at now: Duration, interval: Duration) -> Duration {
        defer { last = now }
        return last.map { max(.zero, now - $0 - interval * 2) } ?? .zero
    }
}
