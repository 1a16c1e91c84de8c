// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often the devices in touch are told what has changed here: apps change what they offer as
/// often as they like, and whoever sends faster than it is served is closed (Channel.md).
struct HelloPace: Sendable {
    static let limit = RateLimit(burst: 16, interval: .milliseconds(100))

    /// What they were told last; its time says nothing.
    private(set) var told: Hello?
    /// The uptime at which what has changed since is to be told; nil while nothing has.
    private(set) var deadline: Duration?
    /// When all that was spent will have come back.
    private var restored: Duration?

    /// Whether they are to be told now: not what they know, and not too often.
    mutating func tells(_ hello: Hello, at uptime: Duration) -> Bool {
        var news = hello
        news.unixTime = 0
        deadline = nil
        guard news != told else { return false }
        let turn = Self.limit.next(after: restored, at: uptime)
        guard turn.due <= uptime else {
            deadline = turn.due
            return false
        }
        (told, restored) = (news, turn.restored)
        return true
    }
}
