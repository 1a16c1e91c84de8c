// SPDX-License-Identifier: Apache-2.0

import Baton
import Foundation
import UserActivity

/// A continued activity as `continue --json` prints it, and as `serve` gives it to its command:
/// baton-json(5), "Continue".
enum ContinuationJSON {
    /// - Parameter streams: The streams that were opened; nil where none were.
    static func node(_ continuation: Continuation, streams: ContinuationStreams?) -> JSONNode {
        let state = continuation.activity.currentState
        return .object([
            "type": .string(state.activityType),
            "title": state.title.map(JSONNode.string) ?? .null,
            "userInfo": UserInfoJSON.node(state.userInfo),
            "webpageURL": state.webpageURL.map { .string($0.absoluteString) } ?? .null,
            "device": .string(continuation.device),
            "deviceName": .string(continuation.deviceName),
            "transport": .string(continuation.transport),
            "streamTransport": streams.map { .string($0.transport) } ?? .null,
        ])
    }
}
