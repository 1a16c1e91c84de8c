// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Diagnosis
@_spi(Reported) import HandoffModel
import Synchronization

/// Records how pairs of streams ended, and resumes the callers that wait for an end.
final class StreamOutcomes: Sendable {
    /// Passes on the progress of a pair.
    typealias Follower = AsyncStream<StreamProgress>.Continuation
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var ended: [String: Result<Void, BatonError>] = [:]
        /// The ended pairs, the oldest first. If there are more than `remembered`, the oldest are
        /// forgotten.
        var order: [String] = []
        var waiting: [String: [Waiter]] = [:]
        /// The pairs that have not ended.
        var open: Set<String> = []
        /// The program's followers of open pairs, at most one for each pair.
        var followers: [String: Follower] = [:]

        /// Records an end, and returns the callers that learn of it.
        mutating func end(_ stream: String, with result: Result<Void, BatonError>) -> Listeners {
            open.remove(stream)
            if ended.updateValue(result, forKey: stream) == nil { order.append(stream) }
            if order.count > StreamOutcomes.remembered { ended[order.removeFirst()] = nil }
            return Listeners(
                waiters: waiting.removeValue(forKey: stream) ?? [], follower: followers.removeValue(forKey: stream))
        }
    }

    /// The callers that learn of the end of a pair.
    private struct Listeners {
        var waiters: [Waiter] = []
        var follower: Follower?

        func resume(with result: Result<Void, BatonError>) {
            follower?.finish()
            for waiter in waiters { waiter.resume(with: result) }
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
    func forget(_ stream: String) {
        let follower = state.withLock { state in
            state.open.remove(stream)
            return state.followers.removeValue(forKey: stream)
        }
        follower?.finish()
    }

    /// Finishes a follower when the pair ends, or when another follower takes its place. Finishes
    /// it at once if the pair is not open.
    func follow(_ stream: String, with follower: Follower) {
        let former = state.withLock { state in
            state.open.contains(stream) ? state.followers.updateValue(follower, forKey: stream) : follower
        }
        former?.finish()
    }

    /// Takes the descriptor from the bus's answer. Returns nil if it was already taken or closed.
    func adopt(_ opened: OpenedStreams, device: String, deviceName: String) -> ContinuationStreams? {
        guard let descriptor = opened.descriptor.take() else { return nil }
        expect(opened.stream)
        return ContinuationStreams(
            identifier: opened.stream, descriptor: descriptor, device: device, deviceName: deviceName,
            transport: opened.transport)
    }

    /// Closes streams for which no caller waits.
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
        state.withLock { $0.end(stream, with: result) }.resume(with: result)
    }

    /// Ends all open pairs with an error.
    func failAll(_ error: BatonError) {
        let listeners = state.withLock { state in state.open.map { state.end($0, with: .failure(error)) } }
        for each in listeners { each.resume(with: .failure(error)) }
    }
}
