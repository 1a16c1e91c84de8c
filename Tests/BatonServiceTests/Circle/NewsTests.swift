// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// What a member says of the circle, hello after hello.
    struct NewsTests {
        /// The circle as berta knows it, and as it would be with another name of berta's.
        private func circles(_ berta: Device) async throws -> (known: [UInt8], new: [UInt8]) {
            let circle = try #require(await berta.service.circle)
            var new = circle
            try new.rename(to: "berta anew", by: await berta.service.identity)
            return try (circle.encoded(), new.encoded())
        }

        @Test("Of hellos that go on saying something new of the circle only so many are judged; their link stays")
        func manyHellos() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair(clock: clock)
                let (known, new) = try await circles(berta)
                let speaker = try await Speaker(berta, at: anna)
                // Unknown fields make it another text each time.
                func other(_ number: Int) -> [UInt8] { known + [0xF8, 0x07, UInt8(number)] }
                for _ in 0..<100 { try await speaker.say(known) }
                for _ in 0..<100 { try await speaker.say(other(1)) }
                for number in 1..<NewsRateLimiter.limit.burst { try await speaker.say(other(number + 1)) }
                try await speaker.say(new)
                #expect(await !anna.memberNames.contains("berta anew"), "too much was said before")
                clock.advance(by: NewsRateLimiter.limit.interval)
                try await speaker.say(new)
                #expect(await anna.memberNames.contains("berta anew"))
                speaker.close()
            }
        }

        @Test("Of what a device said nothing is remembered once it has left")
        func whoLeft() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let known = try await circles(berta).known
                let speaker = try await Speaker(berta, at: anna)
                try await speaker.say(known + [0xF8, 0x07, 1])
                #expect(await anna.service.counts["newsJudged"] == 1)
                _ = try await anna.service.removeDevice("berta")
                #expect(await anna.service.counts["newsJudged"] == 0)
                speaker.close()
            }
        }

        @Test("News that could not be written are taken in when they are said again; that it was not written is told")
        func notWritten() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let (_, new) = try await circles(berta)
                let speaker = try await Speaker(berta, at: anna)
                // Where the new file would be.
                let obstacle = anna.directory + "/state.new"
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                try await speaker.say(new)
                #expect(await !anna.memberNames.contains("berta anew"))
                func codes() async -> [String] { await anna.service.status().findings.map(\.code) }
                #expect(await codes().contains("state-unwritable"))
                try FileManager.default.removeItem(atPath: obstacle)
                try await speaker.say(new)
                #expect(await anna.memberNames.contains("berta anew"))
                #expect(await !codes().contains("state-unwritable"))
                speaker.close()
            }
        }
    }
}
