// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import Synchronization

/// Dials with NIO, and closes the unfinished channel at the timeout or on cancellation.
///
/// - Parameters:
///   - what: The name of the dialled endpoint, for error messages.
///   - timeout: How long the attempt may take, including the initializer.
///   - eventLoop: The event loop that measures the timeout.
///   - initializer: The caller's initializer.
///   - begin: Called once to start the attempt, with the initializer for the new channel.
/// - Throws: ``TransportError``, `CancellationError`, or the initializer's error.
package func dial(
    _ what: String, timeout: Duration, on eventLoop: any EventLoop, initializer: @escaping ChannelInitializer,
    begin: (@escaping ChannelInitializer) -> EventLoopFuture<any Channel>
) async throws -> any Channel {
    try Task.checkCancellation()
    let attempt = DialAttempt(promise: eventLoop.makePromise(of: (any Channel).self))
    let late = TransportError(.unreachable, "\(what) did not answer in time")
    let deadline = eventLoop.scheduleTask(in: TimeAmount(timeout)) { attempt.abandon(late) }
    return try await withTaskCancellationHandler {
        begin { channel in
            guard attempt.adopt(channel) else { return channel.eventLoop.makeFailedFuture(late) }
            return initializer(channel)
        }.whenComplete { attempt.complete($0) }
        defer { deadline.cancel() }
        do {
            return try await attempt.promise.futureResult.get()
        } catch {
            throw TransportError.translating(error, "cannot reach \(what)")
        }
    } onCancel: {
        attempt.abandon(CancellationError())
    }
}

/// One attempt to dial. Whichever comes first of success, failure, timeout and cancellation decides
/// its outcome.
private final class DialAttempt: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isDecided = false
    }

    let promise: EventLoopPromise<any Channel>
    private let state = Mutex(State())

    init(promise: EventLoopPromise<any Channel>) { self.promise = promise }

    /// Remembers the channel, so that ``abandon(_:)`` can close it. Returns false if the attempt is
    /// already decided.
    func adopt(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if state.isDecided { return false }
            state.channel = channel
            return true
        }
    }

    func complete(_ result: Result<any Channel, any Error>) {
        if decide() != nil {
            promise.completeWith(result)
        } else if case .success(let channel) = result {
            channel.close(promise: nil)
        }
    }

    func abandon(_ error: any Error) {
        guard let attempt = decide() else { return }
        guard let channel = attempt.channel else { return promise.fail(error) }
        // Fail the promise only after the descriptor is closed, so that the caller of a failed dial
        // leaves no descriptor open.
        channel.close().whenComplete { [promise] _ in promise.fail(error) }
    }

    /// Decides the outcome. Returns the state before, or nil if the outcome was decided earlier.
    ///
    /// Both happen under one lock. Otherwise a channel that ``adopt(_:)`` remembers in between
    /// would not be closed.
    private func decide() -> State? {
        state.withLock { state in
            if state.isDecided { return nil }
            defer { state = State(isDecided: true) }
            return state
        }
    }
}
