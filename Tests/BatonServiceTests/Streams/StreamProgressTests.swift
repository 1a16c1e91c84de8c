// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct StreamProgressTests {
        private func progress(of stream: String, on device: Device) async throws -> StreamProgress {
            try await device.next("progress") { event -> StreamProgress? in
                if case .streamProgress(stream, Device.app, let progress) = event { progress } else { nil }
            }
        }

        /// Waits until the next report of a device may be sent, and lets the time for it pass.
        private func pass(_ clock: ManualClock) async {
            let due = clock.uptime + HandoffService.progressPause
            await clock.waitForMoments { $0.contains(due) }
            clock.advance(by: HandoffService.progressPause)
        }

        @Test("A program that follows its streams gets the changes of their progress, at a bounded pace")
        func followed() async throws {
            try await World.withPair { anna, berta, clock in
                let ends = try await StreamEnds(anna, berta)
                let stream = ends.other.id
                let present = try await berta.service.followStreams(stream, client: Device.app)
                #expect(present == StreamProgress(sent: 0, received: 0, transport: "simulated", isWaiting: false))
                await ends.origin.write(pattern(1_000, seed: 1))
                #expect(await ends.other.read(1_000).count == 1_000)
                await pass(clock)
                #expect(try await progress(of: stream, on: berta).received == 1_000)
                for _ in 0..<20 {
                    await ends.origin.write([1])
                    _ = await ends.other.read(1)
                }
                // The time stands still, so nothing more is sent.
                #expect(!Self.isTold(berta) && !Self.isTold(anna))
                await pass(clock)
                #expect(try await progress(of: stream, on: berta).received > 1_000)
                #expect(!Self.isTold(berta))
                ends.close()
            }
        }

        private static func isTold(_ device: Device) -> Bool {
            device.untaken.contains { if case .streamProgress = $0 { true } else { false } }
        }

        @Test("Only the program that has the streams can follow them, until they end")
        func others() async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let stream = ends.other.id
                for (stream, client) in [(stream, ClientID(rawValue: ":1.9")), ("no such streams", Device.app)] {
                    let error = await #expect(throws: BatonError.self) {
                        _ = try await berta.service.followStreams(stream, client: client)
                    }
                    #expect(error?.code == .notFound)
                }
                for end in [ends.origin, ends.other] { end.finish() }
                for end in [ends.origin, ends.other] { #expect(await end.read() == []) }
                #expect(try await berta.streamEnd(stream) == nil)
                let error = await #expect(throws: BatonError.self) {
                    _ = try await berta.service.followStreams(stream, client: Device.app)
                }
                #expect(error?.code == .notFound)
                ends.close()
            }
        }

        @Test("The progress says that streams wait while they have no channel, and which transport carries them then")
        func waiting() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let anna = try await world.device("anna", clock: clock)
                let (berta, radio) = try await world.device(
                    "berta", clock: clock, radioProxy: { MutableTransport($0) })
                try await anna.makeCircle(with: berta)
                let ends = try await StreamEnds(anna, berta)
                let stream = ends.other.id
                _ = try await berta.service.followStreams(stream, client: Device.app)
                await pass(clock)
                // The program gets only the newest progress, so no new channel may open before its
                // report.
                let door = try await anna.door
                radio.mute(door)
                await berta.service.breakStreams()
                let broken = try await progress(of: stream, on: berta)
                #expect(broken == StreamProgress(sent: 0, received: 0, transport: "simulated", isWaiting: true))
                radio.unmute(door)
                await pass(clock)
                #expect(try await !progress(of: stream, on: berta).isWaiting)
                ends.close()
            }
        }
    }
}
