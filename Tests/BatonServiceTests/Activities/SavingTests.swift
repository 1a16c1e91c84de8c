// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct SavingTests {
        private func willSave(_ device: Device, _ activity: String) async throws {
            _ = try await device.next("willSave") { event -> Bool? in
                if case .willSave(activity, Device.app) = event { true } else { nil }
            }
        }

        /// Publishes an activity that another device fetches, and whose app is asked for newer
        /// contents.
        private func asked(
            _ device: Device, by other: Device
        ) async throws -> (activity: String, continued: Task<ContinuedActivity, any Error>) {
            let activity = try await device.publish("note", needsSave: true)
            let continued = Task { try await other.continueOffer(ofType: "note") }
            try await willSave(device, activity)
            return (activity, continued)
        }

        @Test("An app with newer contents is asked first, and its new contents are handed over")
        func asked() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (activity, continued) = try await asked(anna, by: berta)
                try await anna.update(activity, needsSave: false) {
                    $0.userInfo = [.string("draft"): .string("newest")]
                }
                #expect(try await continued.value.activity.userInfo == [.string("draft"): .string("newest")])
                // The app has nothing left to save, so it is not asked a second time.
                _ = try await berta.continueOffer(ofType: "note")
                #expect(!anna.untaken.contains { if case .willSave = $0 { true } else { false } })
            }
        }

        @Test("An answer is used even if the app has newer contents right after it")
        func savesAgain() async throws {
            let clock = ManualClock()
            // The clock moves only between the hand-overs, so no timeout can have ended the wait.
            try await World.withPair(clock: clock) { anna, berta in
                let activity = try await anna.publish("note", needsSave: true)
                for _ in 0..<50 {
                    let continued = Task { try await berta.continueOffer(ofType: "note") }
                    try await willSave(anna, activity)
                    async let answer: Void = anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                    async let more: Void = anna.service.update(activity, needsSave: true, client: Device.app) { $0 }
                    _ = try await (answer, more)
                    let id = try await continued.value.continuation
                    await berta.service.cancel(id, client: Device.app)
                    // The next hand-over asks for the newer contents.
                    try await anna.service.update(activity, needsSave: true, client: Device.app) { $0 }
                    clock.advance(by: SaveTurns.interval)
                }
            }
        }

        @Test("While the service stops, no activity is handed over without the changes that its app has not saved")
        func stopping() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let activity = try await anna.publish("note", needsSave: true)
                let entry = try #require(await anna.service.apps.registry.all.first { $0.id == activity })
                let device = await berta.identityID
                await anna.service.stop()
                let refusal = await #expect(throws: HandoffError.self) {
                    try await anna.service.save(entry, for: device)
                }
                #expect(refusal?.code == .noSuchActivity)
            }
        }

        @Test("An app that does not answer in five seconds is reported as timed out")
        func silent() async throws {
            try await World.withPair { anna, berta, clock in
                let (_, continued) = try await asked(anna, by: berta)
                clock.advance(by: .seconds(4))
                clock.advance(by: .seconds(1))
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .remoteApplicationTimedOut)
            }
        }

        @Test("An app's contents that are too large are reported at once, and smaller ones are handed over")
        func oversized() async throws {
            let clock = ManualClock()
            // The clock moves only between the hand-overs, so no timeout can have ended the wait.
            try await World.withPair(clock: clock) { anna, berta in
                let activity = try await anna.publish("note", needsSave: true)
                func save(_ length: Int) async throws {
                    try await anna.update(activity, needsSave: false) {
                        $0.userInfo = [.string("draft"): .string(String(repeating: "x", count: length))]
                    }
                }
                for length in [70_000, 10] {
                    let continued = Task { try await berta.continueOffer(ofType: "note") }
                    try await willSave(anna, activity)
                    if length == 10 {
                        try await save(length)
                        #expect(try await continued.value.activity.userInfo.count == 1)
                    } else {
                        await #expect(throws: BatonError.self) { try await save(length) }
                        let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                        #expect(error?.code == .userInfoTooLarge)
                    }
                    clock.advance(by: SaveTurns.interval)
                }
            }
        }

        @Test("If an app's newest contents cannot be sent, the other device learns that at once")
        func unsendable() async throws {
            // The clock stands still, so no timeout can have ended the wait.
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (activity, continued) = try await asked(anna, by: berta)
                await #expect(throws: BatonError.self) {
                    try await anna.update(activity, needsSave: false) {
                        $0.title = String(repeating: "x", count: 1_025)
                    }
                }
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.reason == Reason(.contentsUnsendable, ["laptop": "anna"]))
            }
        }

        @Test(
            "If contents cannot be read, the other device learns that at once, and another program's update does not count"
        )
        func unreadable() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (activity, continued) = try await asked(anna, by: berta)
                await anna.service.updateUnreadable(activity, isTooLarge: false, client: ClientID(rawValue: ":1.99"))
                await anna.service.updateUnreadable(activity, isTooLarge: true, client: Device.app)
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .userInfoTooLarge)
            }
        }

        enum Gone: CaseIterable { case invalidated, left }

        @Test(
            "If an activity ends while its app is being asked, it is not handed over, and the request ends",
            arguments: Gone.allCases)
        func gone(how: Gone) async throws {
            // The clock stands still, so no timeout can have ended the wait.
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (activity, continued) = try await asked(anna, by: berta)
                switch how {
                case .invalidated: try await anna.service.invalidate(activity, client: Device.app)
                case .left: await anna.service.clientLeft(Device.app)
                }
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .notFound)
            }
        }

        enum Withdrawal: CaseIterable { case paused, hidden, expired }

        @Test(
            "If the user pauses Baton or hides an activity while its app is being asked, it is not handed over",
            arguments: Withdrawal.allCases)
        func withdrawn(how: Withdrawal) async throws {
            try await World.withPair { anna, berta, clock in
                let (activity, continued) = try await asked(anna, by: berta)
                switch how {
                case .paused: await anna.service.advertise(false)
                case .hidden: await anna.service.advertise(true) { _, _ in Reason(code: "hidden") }
                case .expired: break
                }
                try await anna.update(activity, needsSave: false) {
                    if how == .expired {
                        $0.expirationDate = Date(timeIntervalSince1970: TimeInterval(clock.unixTime))
                    }
                }
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .notFound)
            }
        }

        @Test("An activity is handed over even if another one becomes current while its app is being asked")
        func displaced() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (activity, continued) = try await asked(anna, by: berta)
                try await anna.publish("other", client: ClientID(rawValue: ":1.2"))
                try await anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                #expect(try await continued.value.activity.activityType == "note")
            }
        }

        @Test("A continuation that the app declines, cancels or never answers does not count as continued")
        func notAccepted() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                let refused = try await berta.continueOffer(ofType: "note")
                try await berta.service.accept(refused.continuation, accepted: false, client: Device.app)
                let cancelled = try await berta.continueOffer(ofType: "note")
                await berta.service.cancel(cancelled.continuation, client: Device.app)
                let other = ClientID(rawValue: ":1.9")
                _ = try await berta.continueOffer(ofType: "note", client: other)
                await berta.service.clientLeft(other)
                _ = try await berta.takeOver("note")
                let isContinued: (ClientEvent) -> Bool? = { if case .wasContinued = $0 { true } else { nil } }
                _ = try await anna.next("wasContinued", isContinued)
                // Any of the continuations may be reported last. The ping's answer follows all
                // reports on the same channel.
                _ = try await berta.service.ping("anna")
                #expect(anna.untaken.allSatisfy { isContinued($0) == nil })
            }
        }
    }
}
