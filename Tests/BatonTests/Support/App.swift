// SPDX-License-Identifier: Apache-2.0

import Synchronization
import UserActivity

/// An app that counts its saves, and accepts or ignores streams.
final class App: UserActivityDelegate, Sendable {
    let saves = Atomic(0)
    let streams: AsyncStream<ContinuationStreams>
    private let sink: AsyncStream<ContinuationStreams>.Continuation
    private let takes: Bool

    init(takes: Bool = true) {
        self.takes = takes
        (streams, sink) = AsyncStream.makeStream(of: ContinuationStreams.self)
    }

    func userActivityWillSave(_ userActivity: UserActivity) {
        userActivity.addUserInfoEntries(from: ["saves": saves.add(1, ordering: .relaxed).newValue])
    }

    func userActivity(_ userActivity: UserActivity, didReceive streams: ContinuationStreams) -> Bool {
        if takes { sink.yield(streams) }
        return takes
    }
}
