// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// What waits for the radio, in order. What it has no room for is not missed in silence: everything
/// is asked for again then.
final class InputQueue: Sendable {
    /// How many inputs wait; beyond that the oldest are dropped.
    static let limit = 4_096

    /// What is passed, for one consumer.
    let stream: AsyncStream<BlueZRadio.Input>
    private let continuation: AsyncStream<BlueZRadio.Input>.Continuation
    private let isOverflowing = Atomic(false)

    /// A queue with nothing in it.
    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    /// Puts an input in.
    func pass(_ input: BlueZRadio.Input) {
        if case .dropped = continuation.yield(input) { isOverflowing.store(true, ordering: .relaxed) }
    }

    /// Whether anything was dropped since this was asked last.
    func hadOverflowed() -> Bool { isOverflowing.exchange(false, ordering: .relaxed) }

    /// Ends the stream.
    func finish() { continuation.finish() }
}
