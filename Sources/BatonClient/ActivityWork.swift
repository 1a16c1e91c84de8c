// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The tasks that a connection has not finished.
///
/// The tasks of one activity run one after the other. Urgent tasks do not wait for their turn.
struct ActivityWork {
    /// The last task of each activity. It runs after all earlier ones.
    private var last: [ActivityIdentity: (number: Int, task: Task<Void, Never>)] = [:]
    private var urgent: [Int: Task<Void, Never>] = [:]
    private var count = 0

    /// All unfinished tasks.
    var unfinished: [Task<Void, Never>] { last.values.map(\.task) + urgent.values }

    /// Returns the task that a new one must wait for; nil if there is none.
    func before(_ activity: ActivityIdentity) -> Task<Void, Never>? { last[activity]?.task }

    /// Returns a number for the next task.
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
