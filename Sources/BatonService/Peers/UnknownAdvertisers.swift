// SPDX-License-Identifier: Apache-2.0

/// Who advertises while this device is in no circle, and cannot tell who that is: one of them may
/// have made the invitation that it comes with.
struct UnknownAdvertisers: Sendable {
    /// How many are remembered.
    static let maximum = 16

    /// The signal of the last report from each address, in dBm.
    private var signals: [String: Int] = [:]

    /// How many are known.
    var count: Int { signals.count }

    /// Whether somebody advertises at an address.
    func contains(_ address: String) -> Bool { signals[address] != nil }

    /// Somebody was heard.
    ///
    /// - Parameter signal: In dBm; nil where the radio does not tell: the weakest.
    mutating func heard(_ address: String, signal: Int?) {
        guard contains(address) || count < Self.maximum else { return }
        signals[address] = signal ?? Int(Int8.min)
    }

    /// Nobody advertises at an address any more.
    mutating func lost(_ address: String) { signals[address] = nil }

    /// The addresses of those that are heard best, the strongest first; where two are alike, the
    /// lower address.
    func strongest(_ count: Int) -> [String] {
        signals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map(\.key)
    }
}
