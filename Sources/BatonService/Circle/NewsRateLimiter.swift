// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often it is judged what a member says of the circle: that costs signatures to be checked,
/// and perhaps a file to be written. What was judged last, against the same circle, costs nothing
/// and is not judged again: devices may disagree for long.
struct NewsRateLimiter {
    static let limit = RateLimit(burst: 32, interval: .seconds(5))

    private struct Judged: Hashable {
        let news: Int
        let circle: Int
    }

    private var spent = SpentTurns<DeviceID>(limit)
    private var judged: [DeviceID: Judged] = [:]

    /// How many devices' news are remembered.
    var count: Int { judged.count }

    /// Takes news into account.
    ///
    /// - Parameters:
    ///   - account: To whose account it goes.
    ///   - news: What a member says of the circle.
    ///   - circle: The circle as it is known here, encoded.
    /// - Returns: Whether they are to be judged now. Those that are not are told again in the next
    ///   hello.
    mutating func spend(
        _ device: DeviceID, of account: DeviceID, on news: [UInt8], against circle: [UInt8], at uptime: Duration
    ) -> Bool {
        if news == circle { return true }
        guard judged[device] != Judged(news: news.hashValue, circle: circle.hashValue) else { return false }
        return spent.take(account, at: uptime)
    }

    /// News were judged to their end, and led to a circle: said once more, they would lead nowhere
    /// else.
    mutating func judged(_ news: [UInt8], of device: DeviceID, leadingTo circle: [UInt8]) {
        judged[device] = Judged(news: news.hashValue, circle: circle.hashValue)
    }

    /// Forgets who is no member any more.
    mutating func keep(where isMember: (DeviceID) -> Bool) { judged = judged.filter { isMember($0.key) } }
}
