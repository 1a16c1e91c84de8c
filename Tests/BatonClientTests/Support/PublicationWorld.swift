// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import Diagnosis

@testable import BatonClient

/// A program, its table of publications, and a daemon that may restart at any moment.
///
/// Calls reach the daemon, and answers, signals and the bus's reports reach the program, at random
/// times. The same seed gives the same schedule.
struct PublicationWorld {
    struct Violation: Error, CustomStringConvertible { let description: String }

    /// The program's side of an activity.
    private struct Activity {
        let key = ActivityIdentity()
        var version = 1
        var isOver = false
        var endings = 0
        var title: String { "version \(version)" }
    }

    private struct Copy {
        let owner: ActivityIdentity
        var version: String
        /// The delivered requests for newer contents that have no answer.
        var requests = 0
    }

    private struct CallUnderWay {
        let key: ActivityIdentity
        let call: PublicationMachine.Call
        /// The daemon's answer, and the daemon that gave it; nil until the call has arrived.
        var answer: (result: Result<String, BatonError>, daemon: Int)?
    }

    private enum Signal {
        case willSave(String)
        case ended(String)
    }

    private var random: SeededRandom
    private let hasFaults: Bool
    private var table = PublicationTable(reattaches: true)
    private var activities = (0..<4).map { _ in Activity() }
    private var offered: Int?

    private var daemon = 1
    private var isDaemonThere = true
    private var copies: [String: Copy] = [:]
    private var current: String?
    private var copyCount = 0

    private var calls: [CallUnderWay] = []
    private var asked: [ActivityIdentity] = []
    private var pauses: [ActivityIdentity] = []
    private var presence: [(isThere: Bool, daemon: Int)] = []
    private var signals: [Signal] = []
    /// The events so far, for the report about a broken rule.
    private var history: [String] = []

    /// Creates a world.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that happens.
    ///   - hasFaults: Whether the daemon restarts, rejects calls and ends activities.
    init(seed: UInt64, hasFaults: Bool) {
        random = SeededRandom(seed: seed)
        self.hasFaults = hasFaults
    }

    /// Runs a schedule, lets everything settle, and checks that the daemon has what the app wants
    /// to publish.
    mutating func run(actions: Int) throws {
        do {
            for _ in 0..<actions {
                act()
                try takeSteps()
            }
            calmDown()
            try takeSteps()
            for _ in 0..<10_000 where hasWork {
                deliver()
                try takeSteps()
            }
            try checkThatAllIsKnown()
        } catch let violation as Violation {
            throw Violation(description: "\(violation.description)\n\(history.joined(separator: "\n"))")
        }
    }
}

/// The actions of the app and the faults of the daemon.
extension PublicationWorld {
    private mutating func act() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: becomeCurrent(Int.random(in: 0..<activities.count, using: &random))
        case 3..<5: change()
        case 5: resign()
        case 6: if random.happens(20) { end(Int.random(in: 0..<activities.count, using: &random)) }
        case 7: askToSave()
        case 8: if hasFaults, random.happens(isDaemonThere ? 20 : 80) { isDaemonThere ? stopDaemon() : startDaemon() }
        case 9: if hasFaults, random.happens(20) { endCopy() }
        default: deliver()
        }
    }

    private mutating func becomeCurrent(_ index: Int) {
        guard !activities[index].isOver else { return }
        note("current \(index)")
        offered = index
        table.becomeCurrent(activities[index].key)
    }

    private mutating func change() {
        guard let offered else { return }
        activities[offered].version += 1
        note("version \(activities[offered].version)")
        _ = table.change(activities[offered].key) { $0.change() }
    }

    private mutating func resign() {
        offered = nil
        note("resign")
        table.resignCurrent()
    }

    private mutating func end(_ index: Int) {
        guard !activities[index].isOver else { return }
        note("end \(index)")
        activities[index].isOver = true
        if offered == index { offered = nil }
        let key = activities[index].key
        take(table.change(key) { $0.end() } ?? [.invalidated], key)
    }

    private mutating func stopDaemon() {
        note("daemon \(daemon) stops")
        isDaemonThere = false
        presence.append((false, daemon))
        (copies, current) = ([:], nil)
        signals = []
    }

    private mutating func startDaemon() {
        daemon += 1
        note("daemon \(daemon) starts")
        isDaemonThere = true
        presence.append((true, daemon))
    }

    private mutating func askToSave() {
        if let copy = anyCopy() { signals.append(.willSave(copy)) }
    }

    private mutating func endCopy() {
        guard let copy = anyCopy() else { return }
        remove(copy)
        signals.append(.ended(copy))
    }

    private mutating func anyCopy() -> String? {
        let all = copies.keys.sorted()
        return all.isEmpty ? nil : random.one(of: all)
    }

    private mutating func remove(_ copy: String) {
        copies[copy] = nil
        if current == copy { current = nil }
    }

    /// Ends all faults, and makes the last contents acceptable.
    private mutating func calmDown() {
        note("calm")
        if !isDaemonThere { startDaemon() }
        while let offered, Self.isRefused(activities[offered].title) { change() }
    }

    private var isCalm: Bool { history.contains("calm") }
    private var hasWork: Bool {
        !calls.isEmpty || !asked.isEmpty || !pauses.isEmpty || !presence.isEmpty || !signals.isEmpty
    }

    private mutating func note(_ text: String) { history.append(text) }
}

/// The calls and events that reach the daemon and the program.
extension PublicationWorld {
    private mutating func deliver() {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: if !asked.isEmpty { answer(asked.remove(at: Int.random(in: asked.indices, using: &random))) }
        case 1:
            guard !pauses.isEmpty else { return }
            let key = pauses.remove(at: Int.random(in: pauses.indices, using: &random))
            _ = table.change(key) { $0.pauseEnded() }
        case 2: if !presence.isEmpty { tell(presence.removeFirst().isThere) }
        case 3: if !signals.isEmpty { receive(signals.removeFirst()) }
        default:
            guard !calls.isEmpty else { return }
            let index = Int.random(in: calls.indices, using: &random)
            if calls[index].answer == nil { arrive(index) } else { finish(index) }
        }
    }

    private mutating func answer(_ key: ActivityIdentity) {
        let state = ActivityState(activityType: "t", title: activity(key).title)
        _ = table.change(key) { $0.answered(state) }
    }

    private mutating func tell(_ isThere: Bool) {
        table.isDaemonThere = isThere
        guard !isThere else { return table.daemonCame() }
        for (key, events) in table.daemonLeft(BatonError(.daemonNotRunning, appMessage: "gone")) { take(events, key) }
    }

    private mutating func receive(_ signal: Signal) {
        switch signal {
        case .willSave(let copy):
            guard let key = table.activity(copy) else { return }
            copies[copy]?.requests += 1
            _ = table.change(key) { $0.willSave() }
        case .ended(let copy):
            guard let key = table.activity(copy) else { return }
            take(table.change(key) { $0.wasEnded(BatonError(.notAllowed, appMessage: "ended")) } ?? [], key)
        }
    }

    /// Delivers a call to the daemon, which the call may start.
    private mutating func arrive(_ index: Int) {
        if !isDaemonThere, isCalm || random.happens(50) { startDaemon() }
        let answer: Result<String, BatonError>
        do throws(BatonError) {
            answer = .success(try perform(calls[index].call, of: calls[index].key))
        } catch {
            answer = .failure(error)
        }
        calls[index].answer = (answer, daemon)
        note("\(calls[index].call) -> \(answer)")
    }

    private mutating func finish(_ index: Int) {
        // The bus reports the old daemon's end before it delivers a later daemon's answer.
        guard let answer = calls[index].answer, !presence.contains(where: { !$0.isThere && $0.daemon < answer.daemon })
        else { return }
        let done = calls.remove(at: index)
        take(table.finished(done.key, done.call, answer.result), done.key)
    }

    private mutating func take(_ events: [PublicationEvent], _ key: ActivityIdentity) {
        guard let index = activities.firstIndex(where: { $0.key == key }) else { return }
        for event in events {
            note("event of \(index): \(event)")
            switch event {
            case .failed: if offered == index { offered = nil }
            case .invalidated: activities[index].endings += 1
            default: break
            }
        }
    }
}

/// The daemon.
extension PublicationWorld {
    /// Returns whether the daemon rejects an activity because of its title.
    private static func isRefused(_ title: String?) -> Bool { title?.hasSuffix("3") == true }

    private mutating func perform(_ call: PublicationMachine.Call, of key: ActivityIdentity) throws(BatonError)
        -> String
    {
        guard isDaemonThere else { throw BatonError(.daemonNotRunning, appMessage: "not there") }
        if hasFaults, !isCalm {
            if random.happens(10) { throw BatonError(.limitReached, appMessage: "full") }
            if random.happens(5) {
                throw BatonError(.failed, .noAnswer, cause: "org.freedesktop.DBus.Error.NoReply")
            }
        }
        switch call {
        case .publish(let state):
            try check(state.title)
            copyCount += 1
            let copy = "\(daemon)/\(copyCount)"
            copies[copy] = Copy(owner: key, version: state.title ?? "")
            return copy
        case .update(let copy, .present): try update(copy, to: activity(key).title, requests: 0)
        case .update(let copy, .saved(let state, let requests)):
            try update(copy, to: state.title ?? "", requests: requests)
        case .becomeCurrent(let copy):
            try find(copy)
            current = copy
        case .resignCurrent(let copy):
            try find(copy)
            if current == copy { current = nil }
        case .invalidate(let copy):
            try find(copy)
            remove(copy)
        }
        return ""
    }

    private mutating func update(_ copy: String, to title: String, requests: Int) throws(BatonError) {
        try find(copy)
        copies[copy]?.requests -= requests
        try check(title)
        copies[copy]?.version = title
    }

    private func find(_ copy: String) throws(BatonError) {
        guard copies[copy] != nil else { throw BatonError(.notFound, appMessage: "no \(copy)") }
    }

    private func check(_ title: String?) throws(BatonError) {
        if Self.isRefused(title) { throw BatonError(.userInfoTooLarge, appMessage: "too large") }
    }

    private func activity(_ key: ActivityIdentity) -> Activity {
        guard let activity = activities.first(where: { $0.key == key }) else { preconditionFailure("no such activity") }
        return activity
    }
}

/// The rules.
extension PublicationWorld {
    private mutating func takeSteps() throws {
        while let (key, step) = table.next() {
            let isOver = activity(key).isOver
            switch step {
            case .ask:
                if isOver { throw Violation(description: "an activity that has ended is asked") }
                if asked.contains(key) { throw Violation(description: "an app is asked twice at the same time") }
                asked.append(key)
            case .pause:
                if pauses.count > 2 * activities.count { throw Violation(description: "too many pauses") }
                pauses.append(key)
            case .call(let call):
                try check(call, of: key, isOver: isOver)
                calls.append(CallUnderWay(key: key, call: call))
            }
        }
        if table.count > activities.count { throw Violation(description: "the table grows") }
        if copies.values.contains(where: { $0.requests < 0 }) {
            throw Violation(description: "a request was answered twice")
        }
    }

    private func check(_ call: PublicationMachine.Call, of key: ActivityIdentity, isOver: Bool) throws {
        if calls.contains(where: { $0.key == key }) { throw Violation(description: "two calls at the same time") }
        switch call {
        case .invalidate: return
        case .becomeCurrent, .resignCurrent:
            if calls.contains(where: { Self.changesPlace($0.call) }) {
                throw Violation(description: "two calls decide what is current")
            }
        case .publish, .update: break
        }
        if isOver { throw Violation(description: "\(call) after the end") }
    }

    private static func changesPlace(_ call: PublicationMachine.Call) -> Bool {
        switch call {
        case .becomeCurrent, .resignCurrent: true
        default: false
        }
    }

    private func checkThatAllIsKnown() throws {
        if hasWork || !table.isAtRest { throw Violation(description: "it never comes to rest") }
        for (copy, state) in copies where table.activity(copy) != state.owner {
            throw Violation(description: "nobody knows \(copy)")
        }
        if let forgotten = copies.first(where: { $0.value.requests != 0 }) {
            throw Violation(description: "a request for \(forgotten.key) has no answer")
        }
        for activity in activities where activity.isOver {
            if activity.endings != 1 { throw Violation(description: "\(activity.endings) ends of one activity") }
            if table.contains(activity.key) { throw Violation(description: "an ended activity is kept") }
        }
        guard let offered else {
            if current != nil { throw Violation(description: "an activity is current, and none should be") }
            return
        }
        let copy = copies.first { $0.value.owner == activities[offered].key }
        if copy?.value.version != activities[offered].title {
            throw Violation(description: "the daemon has \(String(describing: copy?.value.version))")
        }
        if current == nil || current != copy?.key { throw Violation(description: "another activity is current") }
    }
}
