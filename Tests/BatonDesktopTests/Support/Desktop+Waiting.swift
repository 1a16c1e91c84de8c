// SPDX-License-Identifier: Apache-2.0

import BatonTesting

@testable import BatonDesktop

/// What the desktop's side comes to, and tells nobody: it is looked for.
extension Desktop {
    /// Returns once a rule's offer is near, and waits for something.
    nonisolated func comesNear(_ offer: String) async throws {
        try await eventually("\(offer) is near") { await triggers[offer]?.isPending == true }
    }

    /// Returns once an offer is not to be shown any more, as it has been.
    nonisolated func settles(_ offer: String) async throws {
        try await eventually("\(offer) is settled") { await known.isSettled(offer) }
    }

    /// Returns once no news of a hand-over is kept.
    nonisolated func forgetsNews() async throws {
        try await eventually("no news is kept") { await notices.isEmpty }
    }
}
