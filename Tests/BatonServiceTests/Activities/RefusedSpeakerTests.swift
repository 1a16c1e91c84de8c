// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests that an adapter's activities end with the program for which the adapter speaks.
    struct RefusedSpeakerTests {
        private static let player = ClientID(rawValue: ":1.9")

        /// Publishes an activity for the player through an adapter, and makes it current.
        private func publish(_ device: Device) async throws -> String {
            var state = ActivityState(activityType: "song")
            state.supportsContinuationStreams = true
            let id = try await device.publish(state, speaker: Self.player)
            return id
        }

        private func ended(_ device: Device) async throws -> [String] {
            try await device.next("an end") { event -> [String]? in
                if case .ended(let activity, Device.app, let reason) = event { [activity, reason.code] } else { nil }
            }
        }

        @Test("An activity whose speaker is refused is not handed over, opens no streams, and ends")
        func refused() async throws {
            try await World.with { world in
                let refusal = Watched<Reason?>(nil)
                let anna = try await world.device(
                    "anna", whyRefused: { speaker, _ in speaker == Self.player ? refusal.value : nil })
                let berta = try await world.device("berta")
                try await anna.makeCircle(with: berta)

                let first = try await publish(anna)
                let continued = try await berta.takeOver("song")
                refusal.change { $0 = Reason(.programSandboxed) }
                await #expect(throws: BatonError.self) { try await berta.openStreams(continued.continuation) }
                #expect(try await ended(anna) == [first, Reason(.programSandboxed).code])
                #expect(await anna.service.publishedActivities() == [])
                try await berta.withdrawal(ofType: "song")

                refusal.change { $0 = nil }
                let second = try await publish(anna)
                _ = try await berta.offer(ofType: "song")
                refusal.change { $0 = Reason(.programSandboxed) }
                let error = await #expect(throws: BatonError.self) { try await berta.continueOffer(ofType: "song") }
                #expect(error?.code == .notFound)
                #expect(try await ended(anna) == [second, Reason(.programSandboxed).code])
            }
        }

        enum Change: CaseIterable { case stopped, paused, ended }

        @Test("A change by the user or the app takes effect while an adapter is checked", arguments: Change.allCases)
        func changedMeanwhile(how: Change) async throws {
            try await World.with { world in
                let check = Watched((isHeld: false, count: 0))
                let anna = try await world.device(
                    "anna",
                    whyRefused: { _, _ in
                        check.change { if $0.isHeld { $0.count += 1 } }
                        try? await check.wait("the end of the check") { $0.isHeld ? nil : () }
                        return nil
                    })
                let berta = try await world.device("berta")
                try await anna.makeCircle(with: berta)
                let song = try await publish(anna)
                let offer = try await berta.offer(ofType: "song").offer
                let continuation = try await berta.takeOver("song").continuation
                check.change { $0.isHeld = true }
                let refused: Task<Void, any Error>
                if how == .paused {
                    refused = Task {
                        _ = try await berta.service.continueOffer(offer, timeout: nil, client: Device.app)
                    }
                } else {
                    refused = Task { try await berta.openStreams(continuation).close() }
                }
                try await check.wait("a check") { $0.count > 0 ? () : nil }
                switch how {
                case .stopped: _ = try await anna.service.stopDevice("berta")
                case .paused: await anna.service.advertise(false)
                case .ended: try await anna.service.invalidate(song, client: Device.app)
                }
                check.change { $0.isHeld = false }
                let error = await #expect(throws: BatonError.self) { try await refused.value }
                switch how {
                case .stopped: #expect(error?.reason?.failure == .stopped)
                case .paused: #expect(error?.code == .notFound)
                case .ended: #expect(error?.reason?.failure == .laptopUnavailable)
                }
            }
        }

        @Test("When an adapter's program leaves the bus, only the activity for that program ends")
        func left() async throws {
            try await World.withDevice { anna in
                let song = try await publish(anna)
                let other = try await anna.publish("other", client: Self.player)
                await anna.service.speakerLeft(ClientID(rawValue: ":1.8"))
                await anna.service.speakerLeft(Self.player)
                try #require(await anna.service.publishedActivities().map(\.id) == [other])
                #expect(try await ended(anna).first == song)
            }
        }
    }
}
