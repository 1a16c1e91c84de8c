// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis
import Testing

@testable import BatonService

/// Tests ``AppActivities`` alone.
struct AppActivitiesTests {
    private let app = ClientID(rawValue: ":1.1")
    private let now = BeaconAdvertiser.Moment(unixTime: 1_800_000_000, uptime: .seconds(1_000))
    private var subject = AppActivities(registry: ActivityRegistry { (id: "a", instance: [1]) })

    /// Publishes an activity and makes it current.
    private mutating func publish() throws -> String {
        let published = try subject.publish(
            ActivityState(activityType: "org.example.note"), team: "", application: nil, speaker: nil, account: nil,
            isBackground: false, needsSave: true, by: app, pending: [], at: now.uptime)
        _ = try subject.becomeCurrent(published.id, of: app, pending: [], at: now)
        return published.id
    }

    private func reasons(_ events: [ClientEvent]) -> [Reason] {
        events.compactMap { if case .warning(_, _, let reason) = $0 { reason } else { nil } }
    }

    @Test("A rule that hides an activity withdraws its offer, and the app is informed when the rule begins and ends")
    mutating func rules() throws {
        let id = try publish()
        #expect(subject.advertised(at: now.unixTime)?.id == id)
        let hidden = subject.advertise(true) { _, _ in Reason(.expired) }
        #expect(reasons(hidden) == [Reason(.expired)] && subject.advertised(at: now.unixTime) == nil)
        let shown = subject.advertise(true) { _, _ in nil }
        #expect(reasons(shown) == [Reason(.unhidden)] && subject.advertised(at: now.unixTime)?.id == id)
        let paused = subject.advertise(false) { _, _ in nil }
        #expect(paused.isEmpty && subject.advertised(at: now.unixTime) == nil)
    }

    @Test("A state that cannot be sent is the answer to the devices that wait for it, until the app sends another")
    mutating func refusals() throws {
        let id = try publish()
        #expect(throws: BatonError.self) {
            try subject.update(id, of: app, needsSave: true, pending: [], at: now.uptime) { _ in
                ActivityState(activityType: "org.example.other")
            }
        }
        #expect(subject.saves.refusal(of: id)?.code == .invalidActivity)
        subject.refuse(id, isTooLarge: true)
        #expect(subject.saves.refusal(of: id)?.code == .userInfoTooLarge)
        _ = try subject.update(id, of: app, needsSave: false, pending: [], at: now.uptime) { $0 }
        #expect(subject.saves.refusal(of: id) == nil)
        subject.clientLeft(app)
        #expect(subject.counts.values.allSatisfy { $0 == 0 })
    }
}
