// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DesktopEntries
import Diagnosis
import Foundation

@testable import BatonDesktop
import Wording

extension DesktopClock {
    /// Creates a clock that the test controls, without random delays.
    init(_ clock: ManualClock) {
        self.init(
            uptime: { clock.uptime }, date: { Date(timeIntervalSince1970: Double(clock.unixTime)) },
            chance: { 0 }, sleep: { try await clock.sleep(until: $0) })
    }
}

extension Desktop {
    func use(_ clock: DesktopClock) { self.clock = clock }

    var index: DesktopEntryIndex { core.apps.index }
    var keeper: GrantKeeper { core.apps.grants }
    var known: KnownOffers { core.known }
    var nearRules: NearRules { core.nearRules }
    var openings: Openings { core.openings }
    var plan: NotificationPlan { core.plan }
    var presence: Presence { core.presence }

    /// The texts of the findings.
    var warnings: [String] {
        get async { await findings.map { $0.text(on: .terminal, in: .english) } }
    }
}

extension Settings {
    /// The error for a configuration with one mistake.
    static func mistake(_ line: Int, _ failure: FailureCode, _ values: [String: Reason.Value]) -> Reason {
        Reason(.lineMistaken, ["line": .count(line), "mistake": .reason(Reason(failure, values))])
    }
}

extension Reason.Value {
    /// The kind of failure, if the value is a failure.
    var failure: FailureCode? { if case .reason(let reason) = self { reason.failure } else { nil } }
}

/// Functions that poll for states of the desktop's side, because no event reports them.
extension Desktop {
    /// Waits until an offer counts as already shown.
    nonisolated func settles(_ offer: String) async throws {
        try await eventually("\(offer) is settled") { await known.isSettled(offer) }
    }

    /// Waits until there is no notification with a key, neither shown nor dismissed.
    nonisolated func forgets(_ key: String) async throws {
        try await eventually("\(key) is forgotten") { await board.entries[key] == nil }
    }

    /// Waits until no notification about a hand-over is kept.
    nonisolated func forgetsNews() async throws {
        try await eventually("no news is kept") { await plan.restyled(NotificationStyle()).isEmpty }
    }
}
