// SPDX-License-Identifier: Apache-2.0

/// The advertisers that this device hears while it is in no circle and cannot identify them. One of
/// these advertisers may have made the invitation that this device uses.
struct UnknownAdvertisers: Sendable {
    /// The maximum number of advertisers that are remembered.
    static let maximum = 16

    /// The signal of the last report from each address, in dBm.
    private var signals: [String: Int] = [:]

    /// The number of advertisers that are remembered.
    var count: Int { signals.count }

    /// Returns whether a device advertises at an address.
    func contains(_ address: String) -> Bool { signals[address] != nil }

    /// Records an advertisement.
    ///
    /// - Parameter signal: The signal in dBm, or nil if the radio does not know it. Nil counts as
    ///   the weakest.
    mutating func heard(_ address: String, signal: Int?) {
        guard contains(address) || count < Self.maximum else { return }
        signals[address] = signal ?? Int(Int8.min)
    }

    /// Forgets the advertiser at an address, because it is no longer heard.
    mutating func lost(_ address: String) { signals[address] = nil }

    /// Returns the addresses with the strongest signals, the strongest first. If two signals are
    /// equal, the lower address comes first.
    func strongest(_ count: Int) -> [String] {
        signals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map(\.key)
    }
}
