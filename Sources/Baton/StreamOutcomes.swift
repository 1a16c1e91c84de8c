// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Synchronization
import UserActivity

/// How pairs of streams ended, for those who wait for it, whichever comes first.
final class StreamOutcomes: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var ended: [String: Result<Void, BatonBusError>] = [:]
        /// The ended ones by age: those that nobody asks about are forgotten beyond a limit.
        var order: [String] = []
        var waiting: [String: [Waiter]] = [:]
        var closed: BatonBusError?
    }

    private static let remembered = 256
    private let state = Mutex(State())

    /// Takes the descriptor out of what the bus delivered; nil when it was taken or closed before.
    func adopt(_ opened: OpenedStreams, device: String) -> ContinuationStreams? {
        opened.descriptor.take().map {
            ContinuationStreams(
                identifier: opened.stream, descriptor: $0, device: device, transport: opened.transport)
        }
    }

    /// Closes streams that nobody wants.
    static func discard(_ streams: ContinuationStreams) {
        StreamDescriptor(adopting: streams.descriptor).close()
    }

    func outcome(of stream: String) async throws {
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
            let known: Result<Void, BatonBusError>? = state.withLock { state in
                if let ended = state.ended[stream] { return ended }
                if let closed = state.closed { return .failure(closed) }
                state.waiting[stream, default: []].append(waiter)
                return nil
            }
            if let known { waiter.resume(with: known) }
        }
    }

    func ended(_ stream: String, complete: Bool, error: String?) {
        let result: Result<Void, BatonBusError> =
            complete
            ? .success(()) : .failure(BatonBusError(.handoffFailed, error ?? "the streams broke off before their end"))
        let waiters = state.withLock { state in
            if state.ended.updateValue(result, forKey: stream) == nil { state.order.append(stream) }
            if state.order.count > Self.remembered { state.ended[state.order.removeFirst()] = nil }
            return state.waiting.removeValue(forKey: stream) ?? []
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Fails everything that waits; `forGood` also whatever is asked about later, unless its end is known.
    func failAll(_ error: BatonBusError, forGood: Bool) {
        let waiters = state.withLock { state in
            defer { state.waiting = [:] }
            if forGood { state.closed = error }
            return state.waiting.values.flatMap { $0 }
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }
}
