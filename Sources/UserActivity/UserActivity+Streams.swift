// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UserActivity {
    /// Asks the app on the device that this activity came from for a pair of streams (Foundation's method of this name).
    ///
    /// - Parameter completionHandler: Called once, where the host's callbacks belong: with streams that are not opened yet, or
    ///   with an error, a `CocoaError`: `userActivityHandoffFailed` when the activity has no streams or came from nowhere.
    public func getContinuationStreams(
        completionHandler: @escaping @Sendable (InputStream?, OutputStream?, (any Error)?) -> Void
    ) {
        let delivery = delivery
        Task {
            do {
                let pair = try await continuationPair()
                delivery.run { completionHandler(pair.input, pair.output, nil) }
            } catch {
                delivery.run { completionHandler(nil, nil, error) }
            }
        }
    }

    /// Asks the app on the device that this activity came from for a pair of streams.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError`, as ``getContinuationStreams(completionHandler:)`` says.
    public func continuationStreams() async throws -> sending (InputStream, OutputStream) {
        let pair = try await continuationPair()
        nonisolated(unsafe) let streams = (pair.input, pair.output)
        return streams
    }

    /// The same as one value that can be passed on.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError`, as ``getContinuationStreams(completionHandler:)`` says.
    public func continuationPair() async throws -> ContinuationPair {
        let (supported, origin) = withLock { ($0.state.supportsContinuationStreams, $0.origin) }
        guard supported, let origin else { throw CocoaError(.userActivityHandoffFailed) }
        return try await origin.openStreams()
    }
}
