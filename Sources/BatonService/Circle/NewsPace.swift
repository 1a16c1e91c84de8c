// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often a member's news of the circle is judged (``Peers/judges(_:of:against:at:)``).
///
/// Judging checks signatures, and may write a file. Devices may disagree for a long time. So the
/// same news is not judged again while the circle stays the same.
struct NewsPace: Sendable {
    static let limit = RateLimit(burst: 32, interval: .seconds(5))

    private struct Judged: Hashable {
        let news: Int
        let circle: Int

        init(_ news: [UInt8], _ circle: [UInt8]) { (self.news, self.circle) = (news.hashValue, circle.hashValue) }
    }

    /// How often news from the devices that share this member's account was judged.
    var use = LimitUse(limit)
    private var judged: Judged?

    /// Whether any news was judged.
    var isUsed: Bool { judged != nil }

    /// Returns whether the last news that was judged is the same as this news, and was judged
    /// against the same circle.
    func wereJudged(_ news: [UInt8], against circle: [UInt8]) -> Bool { judged == Judged(news, circle) }

    /// Records the circle that resulted from the device's news. The same news would not change that
    /// circle again.
    mutating func judged(_ news: [UInt8], leadingTo circle: [UInt8]) { judged = Judged(news, circle) }
}
