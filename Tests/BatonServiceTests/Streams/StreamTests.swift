// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct StreamTests {
        @Test("1 MB goes each way at once, over the radio and over TCP", arguments: [false, true])
        func bothWays(tcp: Bool) async throws {
            try await World.with { world in
                // With a running clock, the streams would use the radio after three seconds without
                // an answer over TCP.
                let (anna, berta) = try await world.pair(tcp: tcp, clock: ManualClock())
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == (tcp ? "tcp" : "simulated"))
                #expect(ends.origin.transport == ends.other.transport)
                let (there, back) = (pattern(1_000_000, seed: 1), pattern(1_000_000, seed: 2))
                let sent = [Task { await ends.origin.write(there) }, Task { await ends.other.write(back) }]
                let received = Task { await ends.other.read(there.count) }
                #expect(await ends.origin.read(back.count) == back)
                #expect(await received.value == there)
                for task in sent { #expect(await task.value == 1_000_000) }
                ends.origin.finish()
                #expect(await ends.other.read() == [])
                ends.other.finish()
                #expect(await ends.origin.read() == [])
                #expect(try await anna.streamEnd(ends.origin) == nil)
                #expect(try await berta.streamEnd(ends.other) == nil)
                ends.close()
            }
        }

        @Test(
            "If TCP does not answer, the streams use the radio",
            arguments: [FailingTCP.Failure.refused, .silent])
        func radioInstead(failure: FailingTCP.Failure) async throws {
            // If nothing answers, time passes only in the waits of this test.
            let manual = ManualClock()
            let clock: any DeviceClock = failure == .silent ? manual : SystemClock()
            try await World.with { world in
                let anna = try await world.device("anna", tcp: true, clock: clock)
                var failing: FailingTCP?
                let wrapTCP = { (tcp: TCPTransport) in
                    let wrapped = FailingTCP(tcp)
                    failing = wrapped
                    return wrapped
                }
                let berta = try await world.device("berta", tcp: true, clock: clock, wrapTCP: wrapTCP)
                let tcp = try #require(failing)
                try await anna.makeCircle(with: berta)
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                tcp.fail(by: failure)
                let opening = Task { try await berta.openStreams(continued.continuation) }
                for await _ in tcp.failures { break }
                if failure == .silent { manual.advance(by: .seconds(3)) }
                let other = try await opening.value
                #expect(other.transport == "simulated")
                let origin = try await anna.streamsOpened()
                await origin.write([1, 2, 3])
                origin.finish()
                #expect(await other.read() == [1, 2, 3])
                other.finish()
                #expect(try await berta.streamEnd(other) == nil)
                origin.close()
                other.close()
            }
        }

        @Test("A half-closed pair continues in the other direction", arguments: [false, true])
        func halfClose(originEnds: Bool) async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let (early, late) = originEnds ? (ends.origin, ends.other) : (ends.other, ends.origin)
                await early.write([1, 2, 3])
                early.finish()
                #expect(await late.read() == [1, 2, 3])
                let answer = pattern(300_000, seed: 3)
                let sent = Task { await late.write(answer) }
                #expect(await early.read(answer.count) == answer)
                #expect(await sent.value == answer.count)
                late.finish()
                #expect(await early.read() == [])
                #expect(try await anna.streamEnd(ends.origin) == nil)
                #expect(try await berta.streamEnd(ends.other) == nil)
                early.close()
                late.close()
            }
        }

        @Test("No byte is lost that an app writes after it has read the end of the other direction")
        func writesAfterTheEnd() async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                ends.other.finish()
                #expect(await ends.origin.read() == [])
                // These bytes are in the socket's buffer when the app ends.
                let last = pattern(200_000, seed: 4)
                #expect(await ends.origin.write(last) == last.count)
                ends.origin.finish()
                #expect(await ends.other.read() == last)
                #expect(try await anna.streamEnd(ends.origin) == nil)
                #expect(try await berta.streamEnd(ends.other) == nil)
                ends.close()
            }
        }

        @Test(
            "The other side learns that streams were cancelled, even if it has finished sending",
            arguments: [false, true])
        func givenUp(onOrigin: Bool) async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let (gone, left) = onOrigin ? (ends.origin, ends.other) : (ends.other, ends.origin)
                left.finish()
                #expect(await gone.read() == [])
                #expect(await gone.write(pattern(50_000, seed: 4)) == 50_000)
                await (onOrigin ? anna : berta).service.cancel(gone.id, client: Device.app)
                gone.close()
                _ = await left.read()
                let errors = (try await anna.streamEnd(ends.origin), try await berta.streamEnd(ends.other))
                #expect((onOrigin ? errors.1 : errors.0) == Reason(.streamsClosedThere))
                #expect((onOrigin ? errors.0 : errors.1) == Reason(.streamsGivenUp))
                left.close()
            }
        }

        @Test("Bytes that an app had not read when it left count as not arrived", arguments: [false, true])
        func unread(onOrigin: Bool) async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let (gone, left) = onOrigin ? (ends.origin, ends.other) : (ends.other, ends.origin)
                gone.finish()
                #expect(await left.read() == [])
                #expect(await left.write([1, 2, 3]) == 3)
                left.finish()
                // After one byte the rest is in the app's socket, followed by the end.
                #expect(await gone.read(1) == [1])
                gone.close()
                let errors = (try await anna.streamEnd(ends.origin), try await berta.streamEnd(ends.other))
                #expect((onOrigin ? errors.1 : errors.0) == Reason(.streamsClosedThere))
                #expect((onOrigin ? errors.0 : errors.1) == Reason(.streamsClosedHere))
                left.close()
            }
        }

        @Test("If an app does not read, streams stay open until it does", arguments: [false, true])
        func neverRead(onOrigin: Bool) async throws {
            try await World.withPair { anna, berta, clock in
                let ends = try await StreamEnds(anna, berta)
                let (idle, left) = onOrigin ? (ends.origin, ends.other) : (ends.other, ends.origin)
                #expect(await left.write([1, 2, 3]) == 3)
                left.finish()
                idle.finish()
                #expect(await left.read() == [])
                for _ in 0..<60 { clock.advance(by: .seconds(60)) }
                for device in [anna, berta] { #expect(await device.service.counts["streamPlaces"] == 1) }
                #expect(await idle.read() == [1, 2, 3])
                #expect(try await anna.streamEnd(ends.origin) == nil)
                #expect(try await berta.streamEnd(ends.other) == nil)
                idle.close()
                left.close()
            }
        }

        @Test("An app that vanishes before the end is reported on both sides", arguments: [false, true])
        func appVanishes(onOrigin: Bool) async throws {
            try await World.withPair { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let (gone, left) = onOrigin ? (ends.origin, ends.other) : (ends.other, ends.origin)
                gone.close()
                #expect(await left.read() == [])
                let errors = (try await anna.streamEnd(ends.origin), try await berta.streamEnd(ends.other))
                let here = Reason(.streamsClosedHere)
                let there = Reason(.streamsClosedThere)
                #expect(errors.0 == (onOrigin ? here : there))
                #expect(errors.1 == (onOrigin ? there : here))
                left.close()
            }
        }

        @Test(
            "A device that vanishes in the middle ends the streams with an error on both sides",
            arguments: [false, true])
        func deviceVanishes(tcp: Bool) async throws {
            try await World.withPair(tcp: tcp) { anna, berta in
                let ends = try await StreamEnds(anna, berta)
                let sent = Task { await ends.other.write(pattern(8_000_000, seed: 5)) }
                #expect(await ends.origin.read(100_000).count == 100_000)
                await anna.service.stop()
                #expect(await sent.value < 8_000_000)
                #expect(try await anna.streamEnd(ends.origin) != nil)
                #expect(try await berta.streamEnd(ends.other) != nil)
                // Both apps see the end of their sockets.
                _ = await ends.origin.read()
                _ = await ends.other.read()
                ends.close()
            }
        }
    }
}
