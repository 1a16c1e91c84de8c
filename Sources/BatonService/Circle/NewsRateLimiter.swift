// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often a member's news of the circle are judged.
///
/// Judging checks signatures, and may write a file. News that were last judged against the same
/// circle are not judged again and cost nothing, because devices may disagree for long.
struct NewsRateLimiter {
    static let limit = RateLimit(burst: 32, interval: .seconds(5))

    private struct Judged: Hashable {
        let news: Int
        let circle: Int
    }

    private var spent = SpentTurns<DeviceID>(limit)
    private var judged: [DeviceID: Judged] = [:]

    /// The number of devices whose news are remembered.
    var count: Int { judged.count }

    /// Takes news into account.
    ///
    /// - Parameters:
    ///   - account: The device whose limit is used.
    ///   - news: The member's news of the circle.
    ///   - circle: The circle as this device knows it, encoded.
    /// - Returns: Whether to judge the news now. If not, they arrive again with the next hello.
    mutating func spend(
        _ device: DeviceID, of account: DeviceID, on news: [UInt8], against circle: [UInt8], at uptime: Duration
    ) -> Bool {
        if news == circle { return true }
        guard judged[device] != Judged(news: news.hashValue, circle: circle.hashValue) else { return false }
        return spent.take(account, at: uptime)
    }

    /// Records the circle to which a device's news led.
    ///
    /// The same news would lead to it again.
    mutating func judged(_ news: [UInt8], of device: DeviceID, leadingTo circle: [UInt8]) {
        judged[device] = Judged(news: news.hashValue, circle: circle.hashValue)
    }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) { judged = judged.filter { isMember($0.key) } }
}
