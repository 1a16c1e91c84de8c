// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// What `baton publish` does as the delegate of its activity: it passes streams on, and has the
/// contents put in.
final class PublisherDelegate: UserActivityDelegate, Sendable {
    let arrivals: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation
    private let contents: (any ActivityContents)?

    init(contents: (any ActivityContents)?) {
        self.contents = contents
        (arrivals, sink) = AsyncStream.makeStream(of: ContinuationStreams.self)
    }

    func userActivityWillSave(_ userActivity: UserActivity) { contents?.save(into: userActivity) }

    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool {
        sink.yield(streams)
        return true
    }
}
