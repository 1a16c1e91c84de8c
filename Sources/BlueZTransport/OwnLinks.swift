// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// Remembers which links this device has dialled, because bluetoothd does not report who opened a
/// link.
struct OwnLinks {
    /// How long after the end of a dial bluetoothd may report the dial's link.
    static let memory = Duration.seconds(5)
    /// The largest number of remembered addresses. Links to further addresses count as opened by
    /// the peer.
    static let limit = 64

    private var dials: [String: (underWay: Int, until: Duration)] = [:]

    mutating func begin(_ peer: BluetoothAddress, at now: Duration) {
        dials = dials.filter { $0.value.underWay > 0 || $0.value.until > now }
        guard dials[peer.octets] != nil || dials.count < Self.limit else { return }
        dials[peer.octets, default: (0, now)].underWay += 1
    }

    /// Records the end of a dial, successful or not.
    mutating func end(_ peer: BluetoothAddress, at now: Duration) {
        guard let dial = dials[peer.octets] else { return }
        dials[peer.octets] = (max(0, dial.underWay - 1), now + Self.memory)
    }

    /// Returns whether this device dialled a link that came up now.
    func include(octets: String, at now: Duration) -> Bool {
        dials[octets].map { $0.underWay > 0 || now < $0.until } ?? false
    }
}
