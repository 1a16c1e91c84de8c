// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests the service's events with a slow consumer.
    struct EventTests {
        private func offer(_ number: UInt32, signal: Int) throws -> Offer {
            Offer(
                device: number, activity: try #require(ActivityHash(bytes: [0, 0, 0, 0, UInt8(number)])), team: nil,
                type: nil, title: nil, hasWebpage: false, supportsStreams: false, signal: signal, address: "a", psm: 1,
                sequence: 1)
        }

        @Test(
            "If the consumer of news is slow, events for programs are still sent at once, and only the latest state waits"
        )
        func slowConsumer() async throws {
            try await World.with { world in
                let service = try world.service(radio: SwitchedRadio())
                let told = Watched<[ClientEvent]>([])
                try await service.start { event in told.change { $0.append(event) } }
                var most = 0
                for change in 0..<100_000 {
                    await service.carryOut([.changed(try offer(UInt32(change % 8), signal: -(change % 100)))])
                    most = max(most, await service.counts["eventsWaiting"] ?? .max)
                }
                #expect(most == 8)
                for number: UInt32 in 0..<4 {
                    await service.carryOut([.disappeared(try offer(number, signal: 0).id)])
                }
                var state = ActivityState(activityType: "org.example.note")
                state.userInfo = [.string("text"): .string(String(repeating: "a", count: 4_000))]
                _ = try await service.publish(state, team: "", needsSave: false, client: Device.app)
                // The event must have been sent without waiting.
                #expect(told.value.count { if case .warning = $0 { true } else { false } } == 1)
                await service.stop()
                let signals = await service.events.reduce(into: [Int?]()) { signals, event in
                    if case .offerAppeared(let offer) = event { signals.append(offer.signal) }
                    if case .offerDisappeared = event { Issue.record("of this offer nobody has heard") }
                }
                #expect(signals == [-96, -97, -98, -99])
            }
        }
    }
}
