// SPDX-License-Identifier: Apache-2.0

import BatonTesting

@testable import BatonDesktop

/// Waits for states of the desktop's side that no event tells of, by polling.
extension Desktop {
    /// Returns when an offer is near enough for its rule and the rule waits for something else.
    nonisolated func comesNear(_ offer: String) async throws {
        try await eventually("\(offer) is near") { await triggers[offer]?.isPending == true }
    }

    /// Returns once an offer is not to be shown any more, as it has been.
    nonisolated func settles(_ offer: String) async throws {
        try await eventually("\(offer) is settled") { await known.isSettled(offer) }
    }

    /// Returns once there is no notification with a key, shown or dismissed.
    nonisolated func forgets(_ key: String) async throws {
        try await eventually("\(key) is forgotten") { await environment.board.entries[key] == nil }
    }

    /// Returns once no news of a hand-over is kept.
    nonisolated func forgetsNews() async throws {
        try await eventually("no news is kept") { await plan.restyled(NotificationStyle()).isEmpty }
    }
}
