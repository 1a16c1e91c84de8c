// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Limits how often this device sends a changed hello to connected devices.
///
/// Apps may change their offers at any rate, but a peer closes a channel that sends faster than the
/// peer can serve (Channel.md).
struct HelloPace: Sendable {
    static let limit = RateLimit(burst: 16, interval: .milliseconds(100))

    /// The last hello that all devices have got, with 0 as its time; nil if there is none.
    private(set) var told: Hello?
    /// The uptime at which a change is sent, or nil if nothing has changed since the last hello.
    private(set) var deadline: Duration?
    private var use = LimitUse(limit)

    /// Returns whether to send a hello now: only if the hello differs from the last one and the
    /// limit allows another.
    mutating func tells(_ hello: Hello, at uptime: Duration) -> Bool {
        let news = Self.timeless(hello)
        deadline = nil
        guard news != told else { return false }
        guard use.take(at: uptime) else {
            deadline = use.due(at: uptime)
            return false
        }
        told = news
        return true
    }

    /// Records a hello that one device gets, for example on a new connection. If the hello differs
    /// from the last one that all devices got, the next hello counts as changed for all of them.
    mutating func toldOne(_ hello: Hello) {
        if Self.timeless(hello) != told { told = nil }
    }

    private static func timeless(_ hello: Hello) -> Hello {
        var timeless = hello
        timeless.unixTime = 0
        return timeless
    }
}
