// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(3))) struct RadioTimersTests {
    private let clock = ManualClock()
    private let fired: AsyncStream<String>
    private let fire: AsyncStream<String>.Continuation

    init() { (fired, fire) = AsyncStream.makeStream() }

    @Test("A timer fires at its moment")
    func aTimerFiresAtItsMoment() async {
        var timers = RadioTimers(clock: clock)
        #expect(!timers.isSet(.expiry))
        timers.set(.expiry, for: .seconds(2)) { [fire] in fire.yield("expiry") }
        timers.set(.question, for: .seconds(1)) { [fire] in fire.yield("question") }
        #expect(timers.isSet(.expiry))
        var events = fired.makeAsyncIterator()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        #expect(await events.next() == "question")
        clock.advance(by: .seconds(1))
        #expect(await events.next() == "expiry")
        timers.remove(.expiry)
        #expect(!timers.isSet(.expiry))
    }

    @Test("A timer takes the place of the one of its kind")
    func timerOfTheSameKind() async {
        var timers = RadioTimers(clock: clock)
        timers.set(.question, for: .seconds(1)) { [fire] in fire.yield("first") }
        timers.set(.question, for: .seconds(2)) { [fire] in fire.yield("second") }
        await clock.waitForSleepers(1)
        var events = fired.makeAsyncIterator()
        clock.advance(by: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await events.next() == "second")
    }

    @Test("A timer that is taken away does not fire")
    func whatIsTakenAwayDoesNotFire() async {
        var timers = RadioTimers(clock: clock)
        timers.set(.expiry, for: .seconds(1)) { [fire] in fire.yield("expiry") }
        timers.set(.question, for: .seconds(1)) { [fire] in fire.yield("question") }
        timers.removeAll()
        #expect(!timers.isSet(.expiry))
        timers.set(.question, for: .seconds(1)) { [fire] in fire.yield("later") }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        var events = fired.makeAsyncIterator()
        #expect(await events.next() == "later")
        #expect(clock.sleeperCount == 0)
    }
}
