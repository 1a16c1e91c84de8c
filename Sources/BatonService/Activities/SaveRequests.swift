// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The requests for the current contents of activities, and the tasks that wait for them.
///
/// An app gets only one request at a time. A request shares a save only if the save began after the
/// request came, so no device gets contents older than its request. The type also records why some
/// contents cannot be handed over.
struct SaveRequests {
    /// One request to an app for its contents.
    struct Save {
        fileprivate let number: UInt64
        /// The uptime by which the app must send its contents.
        let deadline: Duration
        /// The tasks that wait for the save.
        let waiters = Waiters<Void>()
        fileprivate(set) var isOver = false
    }

    /// The position of a request in the order of all requests and saves.
    struct Arrival {
        fileprivate let number: UInt64
    }

    private var lastNumber: UInt64 = 0
    /// The latest save of each activity.
    private var saves: [String: Save] = [:]
    private var refusals: [String: HandoffError] = [:]

    /// The number of tasks that wait.
    var count: Int { saves.values.reduce(0) { $0 + $1.waiters.count } }
    /// The number of activities whose newer contents cannot be handed over.
    var refusalCount: Int { refusals.count }

    /// Returns why an app's newer contents cannot be handed over, or nil if they can.
    func refusal(of activity: String) -> HandoffError? { refusals[activity] }

    /// Records that a request has come.
    mutating func arrive() -> Arrival { Arrival(number: nextNumber()) }

    /// Returns an activity's save that began after a request came, or nil if none has begun.
    ///
    /// The save may be over.
    func save(of activity: String, after arrival: Arrival) -> Save? {
        saves[activity].flatMap { $0.number > arrival.number ? $0 : nil }
    }

    /// Returns an activity's save that has not ended, or nil if there is none.
    func current(of activity: String) -> Save? { saves[activity].flatMap { $0.isOver ? nil : $0 } }

    /// Records that an app is asked for an activity's contents.
    mutating func begin(_ activity: String, until deadline: Duration) -> Save {
        let save = Save(number: nextNumber(), deadline: deadline)
        saves[activity] = save
        return save
    }

    /// Resumes the tasks that wait for an activity's contents. These tasks use the present
    /// contents.
    ///
    /// The app may still have newer contents.
    mutating func ended(_ activity: String) { end(activity, .success(())) }

    /// Records that an app has not answered a request to save in time, and fails the waiting tasks.
    /// Does nothing if a later save has begun.
    mutating func late(_ save: Save, of activity: String, _ error: HandoffError) {
        guard saves[activity]?.number == save.number else { return }
        end(activity, .failure(error))
    }

    /// Records that an app has sent contents that can be handed over.
    mutating func taken(_ activity: String) { refusals[activity] = nil }

    /// Records that an app has sent contents that cannot be handed over. Fails the waiting tasks.
    mutating func refused(_ activity: String, _ error: HandoffError) {
        refusals[activity] = error
        end(activity, .failure(error))
    }

    /// Forgets an activity that has ended.
    mutating func forget(_ activity: String) {
        refusals[activity] = nil
        ended(activity)
        saves[activity] = nil
    }

    /// Resumes all waiting tasks.
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
