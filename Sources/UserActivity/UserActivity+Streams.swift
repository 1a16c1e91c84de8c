// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UserActivity {
    /// Asks the app that this activity came from for a pair of streams.
    ///
    /// This is Foundation's method of this name.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor. Swift fills it in.
    ///   - completionHandler: Called once, on the caller's actor, so that it may use the actor's
    ///     state. A caller without an actor is called where the host's callbacks run. The handler
    ///     gets two streams that are not opened yet, or a `CocoaError`. The error is
    ///     `featureUnsupported`, as in Foundation, if the activity did not come from another
    ///     device. The error is `userActivityHandoffFailed` if the activity has no streams.
    public func getContinuationStreams(
        isolation: isolated (any Actor)? = #isolation,
        completionHandler: @escaping (InputStream?, OutputStream?, (any Error)?) -> Void
    ) {
        let delivery = delivery
        guard isolation == nil || isolation === MainActor.shared && delivery.isOnMainThread else {
            Task {
                _ = isolation
                let (pair, error) = await continuationResult()
                completionHandler(pair?.input, pair?.output, error)
            }
            return
        }
        // Only the delivery calls the handler, once: on the callbacks' thread or on the main actor.
        nonisolated(unsafe) let handler = completionHandler
        Task.detached {
            let (pair, error) = await self.continuationResult()
            delivery.run { handler(pair?.input, pair?.output, error) }
        }
    }

    private func continuationResult() async -> (ContinuationPair?, (any Error)?) {
        do { return (try await continuationPair(), nil) } catch { return (nil, error) }
    }

    /// Asks the app that this activity came from for a pair of streams.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError`, as ``getContinuationStreams(completionHandler:)`` says.
    public func continuationStreams() async throws -> sending (InputStream, OutputStream) {
        let pair = try await continuationPair()
        nonisolated(unsafe) let streams = (pair.input, pair.output)
        return streams
    }

    /// Asks for a pair of streams, and returns it as one value that can be passed on.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError`, as ``getContinuationStreams(completionHandler:)`` says.
    public func continuationPair() async throws -> ContinuationPair {
        let (supported, origin) = withLock { ($0.state.supportsContinuationStreams, $0.origin) }
        guard let origin else { throw CocoaError(.featureUnsupported) }
        guard supported else { throw CocoaError(.userActivityHandoffFailed) }
        return try await origin.openStreams()
    }
}
