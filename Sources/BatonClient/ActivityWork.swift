// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// What a connection is doing for its activities: one thing after the other for each of them, and
/// what does not wait for an activity's turn.
struct ActivityWork {
    /// What was asked of each activity last, and is done after what was asked before.
    private var last: [ActivityIdentity: (number: Int, task: Task<Void, Never>)] = [:]
    private var urgent: [Int: Task<Void, Never>] = [:]
    private var count = 0

    /// All that is not done yet.
    var unfinished: [Task<Void, Never>] { last.values.map(\.task) + urgent.values }

    /// What has to be done before something new is, for an activity; nil when nothing has.
    func before(_ activity: ActivityIdentity) -> Task<Void, Never>? { last[activity]?.task }

    /// A number for the next thing to do.
    mutating func nextNumber() -> Int {
        count += 1
        return count
    }

    mutating func begin(_ number: Int, of activity: ActivityIdentity, _ task: Task<Void, Never>) {
        last[activity] = (number, task)
    }

    mutating func end(_ number: Int, of activity: ActivityIdentity) {
        if last[activity]?.number == number { last[activity] = nil }
    }

    mutating func begin(_ number: Int, _ task: Task<Void, Never>) { urgent[number] = task }

    mutating func end(_ number: Int) { urgent[number] = nil }
}
