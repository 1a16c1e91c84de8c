// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The steps of adding another laptop.
enum PairingStep: Hashable, Sendable {
    /// The user has not begun to add a laptop.
    case idle
    /// This laptop looks for the other laptop, or dials an address.
    case searching(address: String?)
    /// Both laptops show digits, and this user has not answered.
    case comparing(PairingDigits)
    /// This user said that the digits are the same. The other user has not answered.
    case waiting(pairing: String)
    /// This laptop is about to show a code.
    case makingCode
    /// This laptop shows a code.
    case showingCode(PairingCode)
    /// The camera looks for a code that the other laptop shows.
    case scanning
    /// The camera read no code.
    case notScanned(ScanFailure)
    /// This laptop is joining with a code from the other laptop.
    case joining
    /// Both laptops are in one circle.
    case done(CircleSummary)
    /// The laptops are not paired.
    case failed(BatonError)

    var isUnderWay: Bool {
        switch self {
        case .idle, .scanning, .notScanned, .done, .failed: false
        case .searching, .comparing, .waiting, .makingCode, .showingCode, .joining: true
        }
    }
}
