// SPDX-License-Identifier: Apache-2.0

/// Decides when a radio's intervals run and when it rests.
///
/// If there is no other radio to send to or to listen for, a radio rests, so that it does not wake
/// the machine.
struct Pace {
    /// Yields an element each time the intervals must begin.
    let begins: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation
    /// Whether the intervals are running.
    var isKept = false
    /// The number of radios that received the last transmission.
    var listeners = 0
    /// When the last interval began, or nil if the intervals have just begun.
    private var last: Duration?

    init() { (begins, beginning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Begins the intervals, unless they are running.
    mutating func begin() {
        guard !isKept else { return }
        isKept = true
        last = nil
        beginning.yield()
    }

    /// Records an interval.
    ///
    /// - Returns: How long this radio or its machine was suspended, which is the time since the
    ///   last interval, less two intervals.
    mutating func stoodStill(at now: Duration, interval: Duration) -> Duration {
        defer { last = now }
        return last.map { max(.zero, now - $0 - interval * 2) } ?? .zero
    }
}
