// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting

/// The faults of a ``FakeDaemon``.
struct FakeFaults {
    private var failure: BatonError?
    private var failureAfterRenaming: BatonError?
    /// The number of calls about activities to reject.
    private var refusals = 0
    /// The number of calls that were rejected so far.
    private(set) var refused = 0
    /// Whether the daemon answers no calls for its status or a trace.
    private var hangs = false
    /// Becomes true when a client waits for an answer that does not come.
    fileprivate let isKeeping = Watched(false)
    /// Whether the daemon ends when its status is requested.
    private(set) var endsWhenAsked = false
    /// Whether the daemon's device is removed from its circle after its offers were listed.
    private(set) var isRemovedWhenListed = false

    mutating func fail(_ error: BatonError) { failure = error }
    mutating func failAfterRenaming(_ error: BatonError) { failureAfterRenaming = error }
    mutating func refuse(_ count: Int) { refusals = count }
    mutating func hang() { hangs = true }
    mutating func endWhenAsked() { endsWhenAsked = true }
    mutating func removeWhenListed() { isRemovedWhenListed = true }

    mutating func renamed() { failure = failureAfterRenaming }

    /// Waits until the caller gives up, if the test makes calls hang.
    func hangIfItShould() async throws {
        guard hangs else { return }
        isKeeping.change { $0 = true }
        let never = AsyncStream<Void> { _ in }
        for await _ in never {}
        throw CancellationError()
    }

    /// Throws if the test makes every call fail.
    func check() throws(BatonError) {
        if let failure { throw failure }
    }

    /// Throws if the test makes this call about activities fail.
    mutating func admit() throws(BatonError) {
        guard refusals == 0 else {
            refusals -= 1
            refused += 1
            throw BatonError(.limitReached, appMessage: "too many calls")
        }
    }
}

extension FakeDaemon {
    /// Makes every later call fail with this error.
    func fail(_ error: BatonError) { faults.fail(error) }

    /// Makes every call after the next renaming fail with this error.
    func failAfterRenaming(_ error: BatonError) { faults.failAfterRenaming(error) }

    /// Rejects the next calls about activities, as if there were no room.
    func refuse(_ count: Int) { faults.refuse(count) }

    /// The number of calls that were rejected so far.
    var refused: Int { faults.refused }

    /// Makes the daemon stop answering calls for its status or a trace.
    func hang() { faults.hang() }

    /// Waits until a client waits for an answer that does not come.
    func keepsWaiting() async throws {
        try await faults.isKeeping.wait("a call that gets no answer") { $0 ? () : nil }
    }

    /// Makes the daemon end at the next request for its status.
    func endWhenAsked() { faults.endWhenAsked() }

    /// Removes the daemon's device from its circle after its offers were listed.
    func removeWhenListed() { faults.removeWhenListed() }

    func check() throws(BatonError) { try faults.check() }
}
