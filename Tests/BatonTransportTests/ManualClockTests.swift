// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualClockTests {
    @Test("A manual clock's Unix time and uptime advance, even by fractions of a second")
    func advances() {
        let clock = ManualClock(unixTime: 100)
        clock.advance(by: .milliseconds(600))
        #expect(clock.unixTime == 100 && clock.uptime == .milliseconds(600))
        clock.advance(by: .milliseconds(600))
        #expect(clock.unixTime == 101 && clock.uptime == .milliseconds(1_200))
        clock.advance(by: .seconds(-5))
        #expect(clock.uptime == .milliseconds(1_200))
    }

    @Test("A sleeper is woken at its time, and not earlier")
    func wakes() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: .seconds(10)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await task.value
        try await clock.sleep(until: .seconds(10))
    }

    @Test("A cancelled sleeper throws, whether it slept or was about to")
    func cancels() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: .seconds(10)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        for _ in 0..<100 {
            let early = Task { try await clock.sleep(until: .seconds(10)) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
        }
    }

    @Test("A wait for a state of the sleepers ends when a sleeper begins, is woken or is cancelled")
    func waits() async throws {
        let clock = ManualClock()
        let both = [Duration.seconds(10), .seconds(20)].map { moment in Task { try await clock.sleep(until: moment) } }
        await clock.waitForMoments { Set($0) == [.seconds(10), .seconds(20)] }
        let one = Task { await clock.waitForMoments { $0 == [.seconds(20)] } }
        let none = Task { await clock.waitForMoments(\.isEmpty) }
        clock.advance(by: .seconds(10))
        await one.value
        both[1].cancel()
        await none.value
        try await both[0].value
    }

    @Test("One end of a twin link reads the bytes that the other end writes, and sees the other end's close")
    func twinLink() async throws {
        let collector = ByteCollector()
        let link = try await TwinLink.make(right: { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector))
            }
        })
        try await link.left.writeAndFlush(ByteBuffer(bytes: [1, 2, 3]))
        var expected = ByteCollector.Total()
        expected.add([1, 2, 3])
        #expect(await collector.wait(forCount: 3) == expected)
        try await link.left.close()
        #expect(await collector.waitForClose().isClosed)
        await link.close()
    }
}
