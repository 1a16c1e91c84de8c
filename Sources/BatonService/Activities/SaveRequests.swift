// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Apps that are asked for the fresh contents of their activities, those who wait for that, and why
/// some contents cannot be handed over.
struct SaveRequests {
    private var waiting: [String: Waiters<Void>] = [:]
    private var refusals: [String: HandoffError] = [:]

    /// How many wait.
    var count: Int { waiting.values.reduce(0) { $0 + $1.count } }
    /// Of how many activities the newer contents cannot be handed over.
    var refusalCount: Int { refusals.count }

    /// Why the newer contents that an activity's app has cannot be handed over; nil if they can.
    func refusal(of activity: String) -> HandoffError? { refusals[activity] }

    /// Those who wait for an activity's contents.
    mutating func waiters(for activity: String) -> Waiters<Void> {
        let waiters = waiting[activity] ?? Waiters()
        waiting[activity] = waiters
        return waiters
    }

    /// Who waits for an activity's contents gets what there is now, though the app may have more to
    /// say by the time that it is looked at.
    mutating func ended(_ activity: String) {
        waiting.removeValue(forKey: activity)?.resolve(with: .success(()))
    }

    /// An app has brought contents that can be handed over.
    mutating func taken(_ activity: String) { refusals[activity] = nil }

    /// An app has brought contents that cannot be handed over: who waits learns why.
    mutating func refused(_ activity: String, _ error: HandoffError) {
        refusals[activity] = error
        waiting.removeValue(forKey: activity)?.resolve(with: .failure(error))
    }

    /// An activity is over.
    mutating func forget(_ activity: String) {
        refusals[activity] = nil
        ended(activity)
    }

    /// Nobody waits any more.
    mutating func endAll() { for activity in Array(waiting.keys) { ended(activity) } }
}
