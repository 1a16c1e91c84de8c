// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// The addresses at which the channels of a pair of streams have stalled.
///
/// Baton does not dial such an address for a while, and for twice as long after each further
/// stall. Otherwise a network that accepts connections but loses their data would stop the streams
/// again and again.
struct StalledAddresses: Sendable {
    /// How long an address is left alone after its first stall.
    static let firstPause = Duration.seconds(2)
    /// The longest time for which an address is left alone.
    static let longestPause = Duration.seconds(60)
    /// The maximum number of addresses that are remembered. The oldest address is forgotten first.
    static let maximumCount = 16

    private var all: [(address: String, pause: Duration, until: Duration)] = []

    /// The number of addresses that are remembered.
    var count: Int { all.count }

    /// Records a stall.
    ///
    /// If the last pause has been over for at least as long as it lasted, the next pause is
    /// ``firstPause`` again.
    mutating func stalled(at address: String, uptime: Duration) {
        let former = all.first { $0.address == address }
        all.removeAll { $0.address == address }
        let isRecent = former.map { $0.until + $0.pause > uptime } ?? false
        let pause = isRecent ? min((former?.pause ?? .zero) * 2, Self.longestPause) : Self.firstPause
        all = all.suffix(Self.maximumCount - 1) + [(address, pause, uptime + pause)]
    }

    /// Forgets the stalls of an address, because this device had lost its own address.
    mutating func pardon(_ address: String) { all.removeAll { $0.address == address } }

    /// Returns the endpoints that may be dialled now.
    func dialable(_ endpoints: [Endpoint], at uptime: Duration) -> [Endpoint] {
        endpoints.filter { endpoint in
            !all.contains { $0.address == endpoint.address && $0.until > uptime }
        }
    }
}
