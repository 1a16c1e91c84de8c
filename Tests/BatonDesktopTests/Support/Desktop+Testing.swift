// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Diagnosis
import Foundation

@testable import BatonDesktop

extension DesktopClock {
    /// Time that passes when the test says so, without chance.
    init(_ clock: ManualClock) {
        self.init(
            uptime: { clock.uptime }, date: { Date(timeIntervalSince1970: Double(clock.unixTime)) },
            chance: { 0 }, sleep: { try await clock.sleep(until: $0) })
    }
}

extension Desktop {
    func use(_ clock: DesktopClock) { self.clock = clock }

    /// What is wrong, a line each.
    var warnings: [String] {
        get async { await findings.map(\.text) }
    }
}

/// Waits for states of the desktop's side that no event tells of, by polling.
extension Desktop {
    /// Returns once an offer is not to be shown any more, as it has been.
    nonisolated func settles(_ offer: String) async throws {
        try await eventually("\(offer) is settled") { await known.isSettled(offer) }
    }

    /// Returns once there is no notification with a key, shown or dismissed.
    nonisolated func forgets(_ key: String) async throws {
        try await eventually("\(key) is forgotten") { await board.entries[key] == nil }
    }

    /// Returns once no news of a hand-over is kept.
    nonisolated func forgetsNews() async throws {
        try await eventually("no news is kept") { await plan.restyled(NotificationStyle()).isEmpty }
    }
}
