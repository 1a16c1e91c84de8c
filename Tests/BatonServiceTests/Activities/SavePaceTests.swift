// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests the limits on how often other devices can make an app save.
    struct SavePaceTests {
        /// An app that has newer contents again as soon as it was asked, as with `--save-command`.
        private struct App: Sendable {
            let device: Device
            let activity: String

            static func publish(on device: Device) async throws -> App {
                App(device: device, activity: try await device.publish("note", needsSave: true))
            }

            func isAsked() async throws {
                _ = try await device.next("willSave") { event -> Bool? in
                    if case .willSave(activity, Device.app) = event { true } else { nil }
                }
            }

            var isAskedAgain: Bool { device.untaken.contains { if case .willSave = $0 { true } else { false } } }

            func answer(_ text: String) async throws {
                for needsSave in [false, true] {
                    try await device.update(activity, needsSave: needsSave) {
                        $0.userInfo = [.string("text"): .string(text)]
                    }
                }
            }
        }

        private func text(_ continued: ContinuedActivity) -> UserInfoValue? {
            continued.activity.userInfo[.string("text")]
        }

        /// Fetches another device's offer and declines it.
        private func fetch(by device: Device) -> Task<ContinuedActivity, any Error> {
            Task {
                let continued = try await device.continueOffer(ofType: "note")
                try await device.service.accept(continued.continuation, accepted: false, client: Device.app)
                return continued
            }
        }

        @Test(
            "A device that fetches again waits until three seconds have passed, and then gets freshly saved contents"
        )
        func waitsItsTurn() async throws {
            try await World.withPair { anna, berta, clock in
                let app = try await App.publish(on: anna)
                let turn = clock.uptime + SaveTurns.interval
                let first = fetch(by: berta)
                try await app.isAsked()
                try await app.answer("first")
                #expect(text(try await first.value) == .string("first"))
                let second = fetch(by: berta)
                try await anna.holds(1, of: "saveTurnsAwaited")
                await clock.waitForMoments { $0.contains(turn) }
                try await app.answer("typed meanwhile")
                #expect(!app.isAskedAgain)
                clock.advance(by: SaveTurns.interval)
                try await app.isAsked()
                try await app.answer("second")
                #expect(text(try await second.value) == .string("second"))
            }
        }

        @Test("A device that fetches all the time over one channel makes an app save only once in three seconds")
        func followsAText() async throws {
            try await World.withPair { anna, berta, clock in
                let app = try await App.publish(on: anna)
                let attack = Task { while !Task.isCancelled { _ = try? await fetch(by: berta).value } }
                defer { attack.cancel() }
                for _ in 0..<4 {
                    try await app.isAsked()
                    try await app.answer("more")
                    try await anna.holds(1, of: "saveTurnsAwaited")
                    #expect(!app.isAskedAgain)
                    clock.advance(by: SaveTurns.interval)
                }
            }
        }

        @Test("One save serves all waiting requests of a device")
        func oneSaveForAll() async throws {
            try await World.withPair { anna, berta, clock in
                let app = try await App.publish(on: anna)
                let first = fetch(by: berta)
                try await app.isAsked()
                try await app.answer("first")
                _ = try await first.value
                let waiting = (2...6).map { number in
                    Task {
                        try await berta.continueOffer(ofType: "note", client: ClientID(rawValue: ":1.\(number)"))
                    }
                }
                try await anna.holds(waiting.count, of: "saveTurnsAwaited")
                clock.advance(by: SaveTurns.interval)
                try await app.isAsked()
                try await app.answer("second")
                for task in waiting { #expect(text(try await task.value) == .string("second")) }
                #expect(!app.isAskedAgain)
            }
        }

        @Test("A device does not have to wait until another device's three seconds have passed")
        func devicesBesideEachOther() async throws {
            // The clock stands still, so that nobody's three seconds pass.
            try await World.withThree(clock: ManualClock()) { anna, berta, carla in
                let app = try await App.publish(on: anna)
                let first = fetch(by: berta)
                try await app.isAsked()
                try await app.answer("first")
                #expect(text(try await first.value) == .string("first"))
                let second = fetch(by: carla)
                try await app.isAsked()
                try await app.answer("second")
                #expect(text(try await second.value) == .string("second"))
            }
        }

        @Test("A device that waits for its turn gets a failure if the activity ends meanwhile")
        func endsMeanwhile() async throws {
            try await World.withPair { anna, berta, clock in
                let app = try await App.publish(on: anna)
                let first = fetch(by: berta)
                try await app.isAsked()
                try await app.answer("first")
                _ = try await first.value
                let second = fetch(by: berta)
                try await anna.holds(1, of: "saveTurnsAwaited")
                try await anna.service.invalidate(app.activity, client: Device.app)
                clock.advance(by: SaveTurns.interval)
                let error = await #expect(throws: BatonError.self) { _ = try await second.value }
                #expect(error?.code == .notFound)
            }
        }
    }
}
