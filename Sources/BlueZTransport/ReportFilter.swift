// SPDX-License-Identifier: GPL-3.0-or-later

internal import L2CAP

/// Filters advertising reports by their payload.
///
/// Only payloads with a prefix pass. A new payload passes at once, and a repeated payload at most
/// once a second.
struct ReportFilter {
    /// The minimum time between two reports of the same payload.
    static let interval = Duration.seconds(1)

    private let prefix: [UInt8]
    private var last: [BluetoothAddress: (payload: [UInt8], at: Duration)] = [:]

    /// Creates a filter that has passed nothing yet.
    init(prefix: [UInt8]) { self.prefix = prefix }

    /// The number of remembered advertisers. Each advertiser is remembered until ``forget(_:)``.
    var count: Int { last.count }

    /// Returns whether to pass a report on, and if so, remembers the report.
    mutating func passes(_ payload: [UInt8], from address: BluetoothAddress, at now: Duration) -> Bool {
        guard payload.starts(with: prefix) else { return false }
        if let last = last[address], last.payload == payload, now < last.at + Self.interval { return false }
        last[address] = (payload, now)
        return true
    }

    /// Forgets a lost advertiser, so that its next payload counts as new.
    mutating func forget(_ address: BluetoothAddress) { last[address] = nil }
}
