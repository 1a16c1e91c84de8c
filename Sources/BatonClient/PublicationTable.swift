// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus

/// The activities of one program, of which at most one is current.
///
/// The table decides which activity replaces the current one, and which one makes room for another.
/// An activity leaves the table when the daemon does not know it and the program does not want it.
struct PublicationTable {
    private struct Entry {
        var machine: PublicationMachine
        /// The serial number of the publication. Later publications have higher numbers.
        var number: UInt64 = 0
    }

    private let reattaches: Bool
    private var entries: [ActivityIdentity: Entry] = [:]
    /// The activities in the order in which they were added.
    private var order: [ActivityIdentity] = []
    private var lastNumber: UInt64 = 0
    /// Whether a daemon owns the bus name.
    var isDaemonThere = true
    /// The activity that the program made current last, if it still is.
    private(set) var current: ActivityIdentity?

    /// Creates an empty table.
    ///
    /// - Parameter reattaches: Whether activities outlive the daemon.
    init(reattaches: Bool) { self.reattaches = reattaches }

    /// Whether an identifier may be on its way from the daemon.
    var isPublishing: Bool { entries.values.contains { $0.machine.isPublishing } }
    /// Whether no step other than a pause is under way.
    var isAtRest: Bool { !entries.values.contains { $0.machine.isBusy } }

    var count: Int { entries.count }

    func contains(_ activity: ActivityIdentity) -> Bool { entries[activity] != nil }

    /// Returns the activity that has an identifier at the daemon.
    func activity(_ identifier: String) -> ActivityIdentity? {
        entries.first { $0.value.machine.identifier == identifier }?.key
    }

    /// Makes an activity the current one.
    mutating func becomeCurrent(_ activity: ActivityIdentity) {
        if current != activity { resignCurrent() }
        current = activity
        if !contains(activity) { order.append(activity) }
        entries[activity, default: Entry(machine: PublicationMachine(reattaches: reattaches))].machine.becomeCurrent()
    }

    /// Leaves the program without a current activity.
    mutating func resignCurrent() {
        guard let former = current else { return }
        current = nil
        _ = change(former) { $0.resignCurrent() }
    }

    /// Changes an activity's machine. Does nothing if the table does not have the activity.
    ///
    /// - Returns: The activity's events, or nil if the table does not have it.
    mutating func change<Result>(
        _ activity: ActivityIdentity, _ body: (inout PublicationMachine) -> Result
    ) -> Result? {
        guard var entry = entries.removeValue(forKey: activity) else { return nil }
        let result = body(&entry.machine)
        if entry.machine.isIdle { order.removeAll { $0 == activity } } else { entries[activity] = entry }
        if current == activity, !entry.machine.wantsPlace { current = nil }
        return result
    }

    /// Returns a step to carry out, which is then under way.
    mutating func next() -> (ActivityIdentity, PublicationMachine.Step)? {
        let mayChangePlace = !entries.values.contains { $0.machine.isChangingPlace }
        let successor = current.flatMap { entries[$0]?.machine.mayBecomeCurrent == true ? $0 : nil }
        for key in order {
            let hasSuccessor = successor != nil && successor != key
            if let step = entries[key]?.machine.next(mayChangePlace: mayChangePlace, hasSuccessor: hasSuccessor) {
                return (key, step)
            }
        }
        return nil
    }

    /// Takes the result of an activity's call.
    mutating func finished(
        _ activity: ActivityIdentity, _ call: PublicationMachine.Call, _ result: Result<String, BatonError>
    ) -> [PublicationEvent] {
        guard let events = change(activity, { [isDaemonThere] in $0.finished(result, isDaemonThere: isDaemonThere) })
        else { return [] }
        switch (call, result) {
        case (.publish, .success):
            lastNumber += 1
            entries[activity]?.number = lastNumber
        case (.publish, .failure): if entries[activity]?.machine.needsRoom == true { makeRoom() }
        case (.becomeCurrent, .success):
            for key in entries.keys where key != activity { entries[key]?.machine.wasReplaced() }
        case (.invalidate, .success): for key in entries.keys { entries[key]?.machine.roomWasMade() }
        default: break
        }
        return events
    }

    /// Records that a daemon has appeared on the bus.
    mutating func daemonCame() {
        for key in entries.keys { entries[key]?.machine.daemonCame() }
    }

    /// Notes that the daemon has left the bus.
    mutating func daemonLeft(_ error: BatonError) -> [(ActivityIdentity, [PublicationEvent])] {
        changeAll { $0.daemonLeft(error) }
    }

    /// Notes that nothing can reach a daemon any more.
    mutating func busEnded(_ error: BatonError) -> [(ActivityIdentity, [PublicationEvent])] {
        changeAll { $0.busEnded(error) }
    }

    private mutating func changeAll<Result>(
        _ body: (inout PublicationMachine) -> Result
    ) -> [(ActivityIdentity, Result)] {
        order.compactMap { key in change(key, body).map { (key, $0) } }
    }

    /// Ends the daemon's copy of the activity that was published first, among those that can give
    /// way.
    private mutating func makeRoom() {
        let idle = entries.filter { $0.value.machine.canGiveWay }
        guard let oldest = idle.min(by: { $0.value.number < $1.value.number })?.key else { return }
        _ = change(oldest) { $0.giveWay() }
    }
}
