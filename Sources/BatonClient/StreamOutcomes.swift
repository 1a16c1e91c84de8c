// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Synchronization

/// How pairs of streams ended, for those who wait for it, whichever comes first.
final class StreamOutcomes: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var ended: [String: Result<Void, BatonError>] = [:]
        /// The ended ones by age: those that nobody asks about are forgotten beyond a limit.
        var order: [String] = []
        var waiting: [String: [Waiter]] = [:]
        /// Those whose end is still to come.
        var open: Set<String> = []

        /// Notes an end, and says who waited for it.
        mutating func end(_ stream: String, with result: Result<Void, BatonError>) -> [Waiter] {
            open.remove(stream)
            if ended.updateValue(result, forKey: stream) == nil { order.append(stream) }
            if order.count > StreamOutcomes.remembered { ended[order.removeFirst()] = nil }
            return waiting.removeValue(forKey: stream) ?? []
        }
    }

    private static let remembered = 256
    private let state = Mutex(State())

    /// Expects the end of a pair from now on: one that comes before the pair is taken is not
    /// missed.
    func expect(_ stream: String) {
        state.withLock { state in
            if state.ended[stream] == nil { state.open.insert(stream) }
        }
    }

    /// Whether the end of a pair is still to come.
    func isOpen(_ stream: String) -> Bool { state.withLock { $0.open.contains(stream) } }

    /// Expects nothing of a pair that is not to be had.
    func forget(_ stream: String) { state.withLock { _ = $0.open.remove(stream) } }

    /// Takes the descriptor out of what the bus delivered; nil when it was taken or closed before.
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
                    return .failure(BatonError(.notFound, "the streams are not open, or ended long ago"))
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
            : .failure(BatonError(.connectionUnavailable, error ?? "the streams broke off before their end"))
        let waiters = state.withLock { $0.end(stream, with: result) }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Fails all streams whose end is still to come.
    func failAll(_ error: BatonError) {
        let waiters = state.withLock { state in state.open.flatMap { state.end($0, with: .failure(error)) } }
        for waiter in waiters { waiter.resume(throwing: error) }
    }
}
