// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests how a member's news of the circle is accepted from its hellos.
    struct NewsTests {
        /// Returns the circle that berta knows, and one with another name of berta's.
        private func circles(_ berta: Device) async throws -> (known: [UInt8], new: [UInt8]) {
            let circle = try #require(await berta.service.circle)
            var new = circle
            try new.rename(to: "berta anew", by: await berta.service.identity)
            return try (circle.encoded(), new.encoded())
        }

        @Test("Only a limited number of hellos with new circle data are checked, and the link stays open")
        func manyHellos() async throws {
            try await World.withReachablePair { anna, berta, clock in
                let (known, new) = try await circles(berta)
                let speaker = try await Speaker(berta, at: anna)
                // Unknown fields make the encoded circle different each time.
                func other(_ number: Int) -> [UInt8] { known + [0xF8, 0x07, UInt8(number)] }
                for _ in 0..<100 { try await speaker.say(known) }
                for _ in 0..<100 { try await speaker.say(other(1)) }
                for number in 1..<NewsPace.limit.burst { try await speaker.say(other(number + 1)) }
                try await speaker.say(new)
                #expect(await !anna.memberNames.contains("berta anew"), "too much was said before")
                clock.advance(by: NewsPace.limit.interval)
                try await speaker.say(new)
                #expect(await anna.memberNames.contains("berta anew"))
                speaker.close()
            }
        }

        @Test("A device's news is forgotten after the device has left")
        func whoLeft() async throws {
            try await World.withReachablePair { anna, berta in
                let known = try await circles(berta).known
                let speaker = try await Speaker(berta, at: anna)
                try await speaker.say(known + [0xF8, 0x07, 1])
                #expect(await anna.service.counts["newsJudged"] == 1)
                _ = try await anna.service.removeDevice("berta")
                #expect(await anna.service.counts["newsJudged"] == 0)
                speaker.close()
            }
        }

        @Test("If news cannot be written, the failure is reported, and the news is accepted when it comes again")
        func notWritten() async throws {
            try await World.withReachablePair { anna, berta in
                let (_, new) = try await circles(berta)
                let speaker = try await Speaker(berta, at: anna)
                // The write fails, because a directory has the new file's name.
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
