// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting

/// How a ``FakeDaemon`` fails.
struct FakeFaults {
    private var failure: BatonError?
    private var failureAfterRenaming: BatonError?
    /// How many calls about activities are too many.
    private var refusals = 0
    /// How many were refused so far.
    private(set) var refused = 0
    /// Whether it gives no answer about its status, and no trace.
    private var hangs = false
    /// Becomes true when it is asked for one of them, and gives none.
    fileprivate let isKeeping = Watched(false)
    /// Whether it ends when its status is asked for.
    private(set) var endsWhenAsked = false
    /// Whether it is in no circle any more once its offers were listed.
    private(set) var isRemovedWhenListed = false

    mutating func fail(_ error: BatonError) { failure = error }
    mutating func failAfterRenaming(_ error: BatonError) { failureAfterRenaming = error }
    mutating func refuse(_ count: Int) { refusals = count }
    mutating func hang() { hangs = true }
    mutating func endWhenAsked() { endsWhenAsked = true }
    mutating func removeWhenListed() { isRemovedWhenListed = true }

    mutating func renamed() { failure = failureAfterRenaming }

    /// Never answers, until the call is given up, where it hangs.
    func hangIfItShould() async throws {
        guard hangs else { return }
        isKeeping.change { $0 = true }
        let never = AsyncStream<Void> { _ in }
        for await _ in never {}
        throw CancellationError()
    }

    /// Throws where every call fails.
    func check() throws(BatonError) {
        if let failure { throw failure }
    }

    /// Throws where a call about activities is one too many.
    mutating func admit() throws(BatonError) {
        guard refusals == 0 else {
            refusals -= 1
            refused += 1
            throw BatonError(.limitReached, "too many calls")
        }
    }
}

extension FakeDaemon {
    /// Every later call fails like this.
    func fail(_ error: BatonError) { faults.fail(error) }

    /// Every call after the next renaming fails like this.
    func failAfterRenaming(_ error: BatonError) { faults.failAfterRenaming(error) }

    /// Has no room for the next calls about activities.
    func refuse(_ count: Int) { faults.refuse(count) }

    /// How many calls were refused so far.
    var refused: Int { faults.refused }

    /// Gives no answer about its status, and no trace: it hangs.
    func hang() { faults.hang() }

    /// Returns once somebody waits for what it does not give.
    func keepsWaiting() async throws {
        try await faults.isKeeping.wait("a call that gets no answer") { $0 ? () : nil }
    }

    /// Gives no answer about its status: it ends.
    func endWhenAsked() { faults.endWhenAsked() }

    /// Is removed from its circle once its offers were listed.
    func removeWhenListed() { faults.removeWhenListed() }

    func check() throws(BatonError) { try faults.check() }
}
