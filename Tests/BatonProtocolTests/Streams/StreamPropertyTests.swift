// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests streams with random writes, reads, cuts, moves, stalls and half-closes in both directions.
///
/// The bytes arrive unchanged, each end comes once after all bytes, and the window is never
/// exceeded.
@Suite struct StreamPropertyTests {
    @Test("Whatever happens to channels, no byte is lost or repeated", arguments: 0..<300)
    func nothingIsLostOrDoubled(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let first = generator.bytes(Int.random(in: 0...6_000, using: &generator))
        let second = generator.bytes(Int.random(in: 0...6_000, using: &generator))
        var limits = StreamMachine.Limits()
        // Allow only a quarter of the largest window below, so that this limit often applies first.
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
                // Move the streams to a new channel, perhaps with another window, while the old one
                // is still open.
                twin.parameters = .init(
                    window: UInt32.random(in: 1...2_000, using: &generator),
                    chunk: Int.random(in: 1...300, using: &generator))
                if !twin.machines[0].isDone { twin.dial() }
            case 97:
                let live = twin.channels.filter { $0.value.closedBy.isEmpty }.keys.sorted()
                if let generation = live.randomElement(using: &generator) {
                    twin.stall(generation, Bool.random(using: &generator))
                }
            case 98:
                if twin.wantsAlternative, !twin.machines[0].isDone { twin.dialAlternative() }
                twin.deliverAsk()
            default:
                // An attachment may take 10 s, so let less than that pass in total.
                if twin.now < .seconds(9) { twin.pass(.milliseconds(150)) }
                // If a deadline stayed in the past, the machine's alarm would never stop.
                let isStuck = twin.machines.contains { $0.deadline.map { $0 <= twin.now } ?? false }
                #expect(!isStuck)
            }
        }
        for generation in twin.channels.keys { twin.stall(generation, false) }
        // From now on no channel is cut, and a new one is dialled whenever there is none.
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

    /// A twin whose channels stall at random, with the random numbers that decide what happens.
    private struct Stalling {
        var twin: StreamTwin
        var generator: SeededGenerator

        /// Moves bytes for 10 ms. A request for another channel may have to wait for a later step.
        mutating func step() {
            twin.pass(.milliseconds(10))
            for side in 0...1 where !twin.stopped.contains(side) {
                twin.send(side, atMost: Int.random(in: 1...200, using: &generator))
                for generation in twin.channels.keys.sorted() { for _ in 0..<8 { twin.deliver(generation, to: side) } }
                twin.take(side, atMost: Int.random(in: 1...400, using: &generator))
            }
            guard !twin.stopped.contains(0) else { return }
            if Int.random(in: 0..<3, using: &generator) == 0 { twin.deliverAsk() }
            if twin.wantsAlternative, Int.random(in: 0..<3, using: &generator) == 0 { twin.dialAlternative() }
        }
    }

    /// A fault of the present channel, or of one of the two daemons.
    private enum Fault: CaseIterable {
        /// The address of the initiator's or the responder's end has gone, as after roaming.
        case initiatorsAddress, respondersAddress
        /// No bytes get to the initiator or to the responder, as when a VPN comes up at one end.
        case deafInitiator, deafResponder
        /// The initiator's or the responder's daemon does not run for 2 s.
        case stoppedInitiator, stoppedResponder
    }

    @Test("Roaming, one-way losses and stopped daemons lose nothing: 1,000 faults", arguments: 0..<250)
    func faultsEnd(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sent = (0...1).map { _ in generator.bytes(60_000) }
        var run = Stalling(twin: StreamTwin(sent[0], sent[1]), generator: generator)
        run.twin.dial()
        for _ in 1...4 {
            for _ in 0..<Int.random(in: 5...40, using: &run.generator) { run.step() }
            guard let present = run.twin.machines[0].generation,
                let fault = Fault.allCases.randomElement(using: &run.generator)
            else { continue }
            let begun = run.twin.now
            // How long the streams may stand still.
            var bounds = Duration.seconds(1)..<Duration.milliseconds(1_600)
            switch fault {
            case .initiatorsAddress, .respondersAddress:
                run.twin.losePath(present, at: fault == .initiatorsAddress ? 0 : 1)
                bounds = Duration.zero..<Duration.milliseconds(600)
            case .deafInitiator: run.twin.stall(present, true, to: [0])
            case .deafResponder: run.twin.stall(present, true, to: [1])
            case .stoppedInitiator, .stoppedResponder:
                run.twin.stopped = [fault == .stoppedInitiator ? 0 : 1]
                while run.twin.now < begun + .seconds(2) { run.step() }
                run.twin.stopped = []
                for _ in 0..<50 { run.step() }
                // The channel still works, so another one is not needed.
                let isKept = run.twin.machines[0].generation == present || run.twin.apps[0].finished
                #expect(isKept && !run.twin.wantsAlternative, "seed \(seed), \(fault)")
                continue
            }
            while run.twin.machines[0].generation == present, run.twin.now < begun + .seconds(10) { run.step() }
            // The last frames may have been on their way in the direction that still works.
            if run.twin.apps[0].finished { continue }
            let pause = run.twin.now - begun
            #expect(bounds.contains(pause), "seed \(seed), \(fault): \(pause)")
        }
        for _ in 0..<5_000 where !run.twin.isFinished { run.step() }
        let isIntact = run.twin.apps[1].received == sent[0] && run.twin.apps[0].received == sent[1]
        #expect(isIntact && run.twin.isFinished, "seed \(seed)")
    }

    @Test("Streams whose channel has stalled continue over another, without loss: 1,000 stalls", arguments: 0..<250)
    func stallsEnd(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        // If one direction is empty, only one side has bytes that can wait in a stalled channel.
        let lengths = [60_000, Bool.random(using: &generator) ? 60_000 : 0].shuffled(using: &generator)
        let sent = lengths.map { generator.bytes($0) }
        var run = Stalling(twin: StreamTwin(sent[0], sent[1]), generator: generator)
        run.twin.dial()
        for _ in 1...4 {
            for _ in 0..<Int.random(in: 5...40, using: &run.generator) { run.step() }
            guard let stalled = run.twin.machines[0].generation else { continue }
            let begun = run.twin.now
            run.twin.stall(stalled, true)
            while run.twin.machines[0].generation == stalled, run.twin.now < begun + .seconds(10) { run.step() }
            let pause = run.twin.now - begun
            #expect(pause >= .seconds(1) && pause < .milliseconds(1_600), "seed \(seed)")
        }
        for _ in 0..<5_000 where !run.twin.isFinished { run.step() }
        let isIntact = run.twin.apps[1].received == sent[0] && run.twin.apps[0].received == sent[1]
        #expect(isIntact && run.twin.isFinished, "seed \(seed)")
    }
}
