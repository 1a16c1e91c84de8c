// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// Which links this device has begun itself: what bluetoothd tells of a link does not say.
struct OwnLinks {
    /// How long bluetoothd may take to tell that a dial has come to a link.
    static let memory = Duration.seconds(5)
    /// How many addresses are remembered; of more, links pass for foreign ones.
    static let limit = 64

    private var dials: [String: (underWay: Int, until: Duration)] = [:]

    /// A dial begins.
    mutating func begin(_ peer: BluetoothAddress, at now: Duration) {
        dials = dials.filter { $0.value.underWay > 0 || $0.value.until > now }
        guard dials[peer.octets] != nil || dials.count < Self.limit else { return }
        dials[peer.octets, default: (0, now)].underWay += 1
    }

    /// It has ended, in one way or another.
    mutating func end(_ peer: BluetoothAddress, at now: Duration) {
        guard let dial = dials[peer.octets] else { return }
        dials[peer.octets] = (max(0, dial.underWay - 1), now + Self.memory)
    }

    /// Whether a link that came up at this time was dialled here.
    func include(octets: String, at now: Duration) -> Bool {
        dials[octets].map { $0.underWay > 0 || now < $0.until } ?? false
    }
}
