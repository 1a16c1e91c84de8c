// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// Which advertising reports are passed on: of those whose payload has the prefix, a new payload at
/// once, the same one once a second.
struct ReportFilter {
    /// The least time between two reports of the same payload.
    static let interval = Duration.seconds(1)

    private let prefix: [UInt8]
    private var last: [BluetoothAddress: (payload: [UInt8], at: Duration)] = [:]

    /// A filter that has passed nothing on yet.
    init(prefix: [UInt8]) { self.prefix = prefix }

    /// How many advertisers it remembers; each until ``forget(_:)``.
    var count: Int { last.count }

    /// Whether a report is passed on, which is remembered.
    mutating func passes(_ payload: [UInt8], from address: BluetoothAddress, at now: Duration) -> Bool {
        guard payload.starts(with: prefix) else { return false }
        if let last = last[address], last.payload == payload, now < last.at + Self.interval { return false }
        last[address] = (payload, now)
        return true
    }

    /// An advertiser is lost: what it advertises next is new.
    mutating func forget(_ address: BluetoothAddress) { last[address] = nil }
}
