// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Limits how many connections from one address are served in a second.
///
/// Further connections are closed before any work is done for them, so that an address which
/// connects again and again takes no time from others.
struct ConnectionRate {
    /// The usual number of connections from one address that are served in a second.
    ///
    /// No Baton device opens this many connections, and serving them costs almost nothing.
    static let usualLimit = 100
    /// The time in which connections are counted.
    static let period = TimeAmount.seconds(1)
    /// The largest number of counted addresses. A further address resets all counts.
    static let maximumAddresses = 1_024

    private let limit: Int
    /// The number of connections that each address has begun in this period.
    private var counts: [String: Int] = [:]
    private var begun = NIODeadline.uptimeNanoseconds(0)

    /// Creates a rate that has counted no connections.
    ///
    /// - Parameter limit: The maximum number of connections from one address that are served in a
    ///   second.
    init(limit: Int = Self.usualLimit) { self.limit = limit }

    /// Counts a connection.
    ///
    /// - Returns: Whether to serve the connection.
    mutating func admits(_ address: String, at now: NIODeadline) -> Bool {
        if now - begun >= Self.period || counts.count >= Self.maximumAddresses && counts[address] == nil {
            (counts, begun) = ([:], now)
        }
        let count = counts[address, default: 0] + 1
        counts[address] = count
        return count <= limit
    }

    var count: Int { counts.count }
}
