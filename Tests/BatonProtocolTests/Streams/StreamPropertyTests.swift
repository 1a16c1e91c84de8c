// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests streams with random writes, reads, cuts, moves and half-closes in both directions.
///
/// The bytes arrive unchanged, each end comes once after all bytes, and the window is always kept.
@Suite struct StreamPropertyTests {
    @Test("Whatever happens to channels, no byte is lost or repeated", arguments: 0..<300)
    func nothingIsLostOrDoubled(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let first = generator.bytes(Int.random(in: 0...6_000, using: &generator))
        let second = generator.bytes(Int.random(in: 0...6_000, using: &generator))
        var limits = StreamMachine.Limits()
        // The limit is a quarter of the largest window below, so it is often less than a window.
        limits.unacknowledged = 500
        var twin = StreamTwin(first, second, limits: limits)
        twin.dial()
        for _ in 0..<6_000 {
            let side = Int.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<55:
                // Choose any channel, even a replaced one, so that frames arrive late and out of
                // order.
                let live = twin.channels.filter { $0.value.told.count < 2 }.keys.sorted()
                if let generation = live.randomElement(using: &generator) { twin.deliver(generation, to: side) }
            case 55..<75: twin.send(side, atMost: Int.random(in: 1...400, using: &generator))
            case 75..<95: twin.take(side, atMost: Int.random(in: 1...400, using: &generator))
            case 95:
                let live = twin.channels.filter { $0.value.closedBy.isEmpty }.keys.sorted()
                if let generation = live.randomElement(using: &generator) {
                    let counts = (0...1).map { _ in Int.random(in: 0...8, using: &generator) }
                    twin.cut(generation, keeping: counts)
                }
            case 96:
                // Move the streams to a new channel, perhaps with another window, while the former
                // one is still open.
                twin.parameters = .init(
                    window: UInt32.random(in: 1...2_000, using: &generator),
                    chunk: Int.random(in: 1...300, using: &generator))
                if !twin.machines[0].isDone { twin.dial() }
            default: break
            }
        }
        // From now on nothing is cut, and a channel is dialled whenever there is none.
        twin.parameters = .init(window: 1_000, chunk: 100)
        for _ in 0..<20 where !twin.apps[0].finished {
            twin.dial()
            twin.run()
        }
        twin.run()
        // Compare as Booleans, so that a failure does not print thousands of bytes.
        let intact = twin.apps[1].received == first && twin.apps[0].received == second
        #expect(intact)
        for app in twin.apps {
            let (failure, finished, gotEnd) = (app.failure, app.finished, app.gotEnd)
            #expect(failure == nil)
            #expect(finished && gotEnd)
        }
        let (wait, initiatorDone) = (twin.largestWait, twin.machines[0].isDone)
        #expect(wait <= 2_000)
        #expect(initiatorDone)
        twin.now += .seconds(120)
        twin.handle(1, .time)
        let responderDone = twin.machines[1].isDone
        #expect(responderDone)
    }
}
