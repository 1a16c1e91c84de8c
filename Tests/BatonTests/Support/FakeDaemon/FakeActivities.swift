// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import UserActivity

/// The activities that clients published to a ``FakeDaemon``.
struct FakeActivities {
    private(set) var states: [String: ActivityState] = [:]
    /// The teams that clients named, by activity.
    private(set) var teams: [String: String] = [:]
    /// The number of activities so far.
    private var count = 0
    /// The maximum number of activities.
    private var limit = 64
    /// The title of contents that the daemon rejects as if it had no room for them.
    private var full: String?

    mutating func keep(_ count: Int) { limit = count }
    mutating func fill(with title: String) { full = title }
    mutating func forget() { states = [:] }

    mutating func publish(_ activity: ActivityState, team: String?) throws(BatonError) -> String {
        try checkSize(of: activity)
        guard states.count < limit else { throw BatonError(.limitReached, appMessage: "too many activities") }
        count += 1
        let identifier = "a\(count)"
        states[identifier] = activity
        teams[identifier] = team
        return identifier
    }

    mutating func update(_ activity: String, _ properties: ActivityProperties) throws(BatonError) -> ActivityState {
        guard let before = states[activity] else { throw BatonError(.notFound, appMessage: "no activity \(activity)") }
        let after = properties.applied(to: before)
        if let full, after.title == full { throw BatonError(.limitReached, appMessage: "no room") }
        try checkSize(of: after)
        states[activity] = after
        return after
    }

    mutating func end(_ activity: String) { states[activity] = nil }

    private func checkSize(of activity: ActivityState) throws(BatonError) {
        if activity.title == "too large" {
            throw BatonError(.userInfoTooLarge, appMessage: "the contents are too large")
        }
    }
}

/// The state that tests read, and the faults that they choose.
extension FakeDaemon {
    var activities: [String: ActivityState] { published.states }
    /// The teams that clients named, by activity.
    var teams: [String: String] { published.teams }

    /// Limits the number of activities.
    func keep(_ count: Int) { published.keep(count) }

    /// Rejects contents with this title forever.
    func fill(with title: String) { published.fill(with: title) }

    /// Forgets all activities, like a restarted daemon.
    func forget() { published.forget() }

    func askToSave(_ activity: String) {
        tellClient { $0.send(.willSave(activity: activity), to: $1) }
    }

    func beContinued(_ activity: String, on device: String, called name: String) {
        tellClient { $0.send(.wasContinued(activity: activity, device: device, deviceName: name), to: $1) }
    }

    func warn(_ activity: String, _ text: String) {
        tellClient { $0.send(.warning(activity: activity, text: text), to: $1) }
    }

    func changeCurrent(_ activity: String, _ isCurrent: Bool) {
        tellClient { $0.send(.currentChanged(activity: activity, isCurrent: isCurrent), to: $1) }
    }

    func end(_ activity: String, _ reason: String) {
        tellClient { $0.send(.ended(activity: activity, reason: reason), to: $1) }
    }
}

/// The calls of clients.
extension FakeDaemon {
    nonisolated func addActivities(to router: inout BusRouter) {
        router.on(ActivitiesInterface.publish) { try await self.publish($0, client: $1) }
        router.on(ActivitiesInterface.update) { activity, change, _ in
            try await self.update(activity: activity, properties: try change.get())
        }
        router.on(ActivitiesInterface.becomeCurrent) { activity, _ in try await self.becomeCurrent(activity) }
        router.on(ActivitiesInterface.resignCurrent) { activity, _ in try await self.resignCurrent(activity) }
        router.on(ActivitiesInterface.invalidate) { activity, _ in try await self.invalidate(activity) }
    }

    private func publish(_ publication: Publication, client: ClientID) throws -> String {
        try check()
        try faults.admit()
        let identifier = try published.publish(publication.activity, team: publication.options.team)
        self.client = client
        record(.published(identifier, needsSave: publication.needsSave))
        return identifier
    }

    private func update(activity: String, properties: ActivityProperties) throws {
        try faults.admit()
        let after = try published.update(activity, properties)
        record(.updated(activity, after, needsSave: properties.needsSave))
    }

    private func becomeCurrent(_ activity: String) throws {
        try faults.admit()
        record(.becameCurrent(activity))
    }

    private func resignCurrent(_ activity: String) throws {
        try faults.admit()
        record(.resigned(activity))
    }

    private func invalidate(_ activity: String) throws {
        try faults.admit()
        published.end(activity)
        record(.invalidated(activity))
    }
}
