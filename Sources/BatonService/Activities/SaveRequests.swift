// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Apps that are asked for the fresh contents of their activities, those who wait for that, and why
/// some contents cannot be handed over.
///
/// An app is asked once at a time. A request shares a save only if that began after the request
/// came: no device gets contents older than its request.
struct SaveRequests {
    /// One time that an app is asked.
    struct Save {
        fileprivate let number: UInt64
        /// The uptime until which the app has time.
        let deadline: Duration
        /// Those who wait for it.
        let waiters = Waiters<Void>()
        fileprivate(set) var isOver = false
    }

    /// When a request came, among all requests and saves.
    struct Arrival {
        fileprivate let number: UInt64
    }

    private var lastNumber: UInt64 = 0
    /// The latest of each activity.
    private var saves: [String: Save] = [:]
    private var refusals: [String: HandoffError] = [:]

    /// How many wait.
    var count: Int { saves.values.reduce(0) { $0 + $1.waiters.count } }
    /// Of how many activities the newer contents cannot be handed over.
    var refusalCount: Int { refusals.count }

    /// Why the newer contents that an activity's app has cannot be handed over; nil if they can.
    func refusal(of activity: String) -> HandoffError? { refusals[activity] }

    /// A request has come.
    mutating func arrive() -> Arrival { Arrival(number: nextNumber()) }

    /// The save of an activity that began after a request came, whether it is over or not; nil if
    /// none has begun since.
    func save(of activity: String, after arrival: Arrival) -> Save? {
        saves[activity].flatMap { $0.number > arrival.number ? $0 : nil }
    }

    /// The save of an activity that is under way.
    func current(of activity: String) -> Save? { saves[activity].flatMap { $0.isOver ? nil : $0 } }

    /// An app is asked for an activity's contents.
    mutating func begin(_ activity: String, until deadline: Duration) -> Save {
        let save = Save(number: nextNumber(), deadline: deadline)
        saves[activity] = save
        return save
    }

    /// Who waits for an activity's contents gets what there is now, though the app may have more to
    /// say by the time that it is looked at.
    mutating func ended(_ activity: String) { end(activity, .success(())) }

    /// An app has not answered in time; a later save is none of that.
    mutating func late(_ save: Save, of activity: String, _ error: HandoffError) {
        guard saves[activity]?.number == save.number else { return }
        end(activity, .failure(error))
    }

    /// An app has brought contents that can be handed over.
    mutating func taken(_ activity: String) { refusals[activity] = nil }

    /// An app has brought contents that cannot be handed over: who waits learns why.
    mutating func refused(_ activity: String, _ error: HandoffError) {
        refusals[activity] = error
        end(activity, .failure(error))
    }

    /// An activity is over.
    mutating func forget(_ activity: String) {
        refusals[activity] = nil
        ended(activity)
        saves[activity] = nil
    }

    /// Nobody waits any more.
    mutating func endAll() { for activity in Array(saves.keys) { ended(activity) } }

    private mutating func end(_ activity: String, _ outcome: Result<Void, any Error>) {
        saves[activity]?.isOver = true
        saves[activity]?.waiters.resolve(with: outcome)
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
