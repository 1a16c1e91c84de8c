// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// How many connections of one address are served in a second.
///
/// What is more than that is closed before anything is done for it, so that an address that
/// connects without end takes no time from others.
struct ConnectionRate {
    /// Connections of one address that are served in a second: more than any device begins, and few
    /// enough to cost next to nothing.
    static let usualLimit = 100
    /// The length of such a second.
    static let period = TimeAmount.seconds(1)
    /// Addresses that are counted at once. With one more, all begin anew.
    static let maximumAddresses = 1_024

    private let limit: Int
    /// How many connections each address has begun in this second.
    private var counts: [String: Int] = [:]
    private var begun = NIODeadline.uptimeNanoseconds(0)

    /// - Parameter limit: Connections of one address in a second.
    init(limit: Int = Self.usualLimit) { self.limit = limit }

    /// Counts a connection.
    ///
    /// - Returns: Whether it is served.
    mutating func admits(_ address: String, at now: NIODeadline) -> Bool {
        if now - begun >= Self.period || counts.count >= Self.maximumAddresses && counts[address] == nil {
            (counts, begun) = ([:], now)
        }
        let count = counts[address, default: 0] + 1
        counts[address] = count
        return count <= limit
    }

    /// How many addresses are counted.
    var count: Int { counts.count }
}
