// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Diagnosis
@_spi(Reported) import HandoffModel
import Synchronization

/// Records how pairs of streams ended, and resumes the callers that wait for an end.
final class StreamOutcomes: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var ended: [String: Result<Void, BatonError>] = [:]
        /// The ended pairs, the oldest first. If there are more than `remembered`, the oldest are
        /// forgotten.
        var order: [String] = []
        var waiting: [String: [Waiter]] = [:]
        /// The pairs that have not ended.
        var open: Set<String> = []

        /// Records an end, and returns the waiters for it.
        mutating func end(_ stream: String, with result: Result<Void, BatonError>) -> [Waiter] {
            open.remove(stream)
            if ended.updateValue(result, forKey: stream) == nil { order.append(stream) }
            if order.count > StreamOutcomes.remembered { ended[order.removeFirst()] = nil }
            return waiting.removeValue(forKey: stream) ?? []
        }
    }

    private static let remembered = 256
    private let state = Mutex(State())

    /// Records that a pair is open, so that an end before the pair is taken is not missed.
    func expect(_ stream: String) {
        state.withLock { state in
            if state.ended[stream] == nil { state.open.insert(stream) }
        }
    }

    /// Returns whether a pair has not ended.
    func isOpen(_ stream: String) -> Bool { state.withLock { $0.open.contains(stream) } }

    /// Forgets a pair that could not be taken.
    func forget(_ stream: String) { state.withLock { _ = $0.open.remove(stream) } }

    /// Takes the descriptor from the bus's answer. Returns nil if it was already taken or closed.
    func adopt(_ opened: OpenedStreams, device: String, deviceName: String) -> ContinuationStreams? {
        guard let descriptor = opened.descriptor.take() else { return nil }
        expect(opened.stream)
        return ContinuationStreams(
            identifier: opened.stream, descriptor: descriptor, device: device, deviceName: deviceName,
            transport: opened.transport)
    }

    /// Closes streams that nobody wants.
    static func discard(_ streams: ContinuationStreams) {
        OwnedDescriptor(adopting: streams.descriptor).close()
    }

    func outcome(of stream: String) async throws {
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
            let known: Result<Void, BatonError>? = state.withLock { state in
                if let ended = state.ended[stream] { return ended }
                guard state.open.contains(stream) else {
                    return .failure(BatonError(.notFound, .streamsUnknown))
                }
                state.waiting[stream, default: []].append(waiter)
                return nil
            }
            if let known { waiter.resume(with: known) }
        }
    }

    func ended(_ stream: String, complete: Bool, error: String?) {
        let result: Result<Void, BatonError> =
            complete
            ? .success(())
            : .failure(
                error.map { BatonError(.connectionUnavailable, reported: $0) }
                    ?? BatonError(.connectionUnavailable, .streamsBroken))
        let waiters = state.withLock { $0.end(stream, with: result) }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Ends all open pairs with an error.
    func failAll(_ error: BatonError) {
        let waiters = state.withLock { state in state.open.flatMap { state.end($0, with: .failure(error)) } }
        for waiter in waiters { waiter.resume(throwing: error) }
    }
}
