// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Events that wait for the radio, in order. The queue reports an overflow, so that the radio can
/// ask for everything again.
final class InputQueue: Sendable {
    /// The largest number of waiting inputs. Beyond that, the oldest are dropped.
    static let limit = 4_096

    /// The queue's inputs, for one consumer.
    let stream: AsyncStream<BlueZRadio.Input>
    private let continuation: AsyncStream<BlueZRadio.Input>.Continuation
    private let isOverflowing = Atomic(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    func pass(_ input: BlueZRadio.Input) {
        if case .dropped = continuation.yield(input) { isOverflowing.store(true, ordering: .relaxed) }
    }

    /// Returns whether inputs were dropped since the last call.
    func hadOverflowed() -> Bool { isOverflowing.exchange(false, ordering: .relaxed) }

    func finish() { continuation.finish() }
}
