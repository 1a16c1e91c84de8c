// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Synchronization
import Testing

@testable import BatonService

struct AlarmsTests {
    /// Alarms as their owner has them.
    private actor Owner {
        private let clock = ManualClock()
        private var alarms = Alarms<String>()
        private(set) var log: [String] = []

        var count: Int { alarms.count }

        func set(_ name: String, to deadline: Duration?) {
            alarms.set(name, to: deadline, clock) { await self.went(name) }
        }

        private func went(_ name: String) {
            alarms.wentOff(name)
            log.append(name)
        }

        func advance(by duration: Duration) { clock.advance(by: duration) }
        var now: Duration { clock.uptime }
        /// How many tasks sleep.
        nonisolated var sleepers: Int { clock.sleeperCount }
        func wentOffLate(_ name: String) { alarms.wentOff(name) }
        func end() { alarms.end() }
    }

    private let owner = Owner()

    @Test("Each goes off at its time, once, and can be set for the same time again")
    func goesOff() async throws {
        let now = await owner.now
        await owner.set("a", to: now + .seconds(1))
        await owner.set("b", to: now + .seconds(2))
        await owner.set("b", to: now + .seconds(2))
        await owner.advance(by: .seconds(2))
        try await eventually("both go off") { await owner.log.sorted() == ["a", "b"] }
        #expect(await owner.count == 0)
        await owner.set("b", to: now + .seconds(2))
        try await eventually("it goes off again") { await owner.log.count == 3 }
    }

    @Test("What is moved or cleared does not go off at its former time")
    func moved() async throws {
        let now = await owner.now
        await owner.set("moved", to: now + .seconds(1))
        await owner.set("moved", to: now + .seconds(9))
        await owner.set("cleared", to: now + .seconds(1))
        await owner.set("cleared", to: nil)
        await owner.set("last", to: now + .seconds(2))
        await owner.advance(by: .seconds(2))
        try await eventually("the last goes off") { await owner.log.contains("last") }
        #expect(await owner.count == 1)
        // What was to go off before has no task any more that could.
        try await eventually("one sleeps") { owner.sleepers == 1 }
        #expect(await owner.log == ["last"])
    }

    @Test("One that is set anew before it is known that it went off sleeps once, however often that happens")
    func setMeanwhile() async throws {
        let now = await owner.now
        for second in 1...100 {
            await owner.set("a", to: now + .seconds(second))
            await owner.wentOffLate("a")
        }
        await owner.set("a", to: now + .seconds(100))
        #expect(await owner.count == 1)
        try await eventually("one sleeps") { owner.sleepers == 1 }
    }

    @Test("After the end none is set any more")
    func ended() async throws {
        let now = await owner.now
        await owner.set("a", to: now + .seconds(1))
        try await eventually("it sleeps") { owner.sleepers == 1 }
        await owner.end()
        await owner.set("b", to: now + .seconds(1))
        #expect(await owner.count == 0)
        try await eventually("none sleeps") { owner.sleepers == 0 }
    }
}
