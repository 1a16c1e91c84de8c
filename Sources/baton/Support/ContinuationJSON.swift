// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonClient
import FoundationEssentials
import UserInfoJSON

/// The JSON object of a continued activity, as described in baton-json(5) under "Continue".
///
/// `continue --json` prints it, and `serve` passes it to its command.
enum ContinuationJSON {
    /// Returns the JSON object.
    ///
    /// - Parameter streams: The streams that were opened, or `nil` if none were.
    static func node(_ continuation: FetchedActivity, streams: ContinuationStreams?) -> JSONNode {
        let state = continuation.state
        return .object([
            "type": .string(state.activityType),
            "title": state.title.map(JSONNode.string) ?? .null,
            "userInfo": UserInfoJSON.node(state.userInfo),
            "webpageURL": state.webpageURL.map { .string($0.absoluteString) } ?? .null,
            "referrerURL": state.referrerURL.map { .string($0.absoluteString) } ?? .null,
            "device": continuation.hasOrigin ? .string(continuation.device) : .null,
            "deviceName": .string(continuation.deviceName),
            "transport": continuation.hasOrigin ? .string(continuation.transport) : .null,
            "streamTransport": streams.map { .string($0.transport) } ?? .null,
        ])
    }
}
