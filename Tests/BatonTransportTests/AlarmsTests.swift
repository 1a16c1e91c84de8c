// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Testing

@Suite(.timeLimit(.minutes(3))) struct AlarmsTests {
    /// An actor that owns alarms, as the service does.
    private actor Owner {
        let clock = ManualClock()
        private var alarms = Alarms<String>()
        /// The alarms that went off, in their order.
        let log = Watched<[String]>([])

        var count: Int { alarms.count }

        func set(_ name: String, to deadline: Duration?) {
            alarms.set(name, to: deadline, clock) { await self.went(name) }
        }

        /// Sets an alarm whose action sets the alarm again and then calls `look`.
        func repeatOnce(_ look: @escaping @Sendable () -> Void) {
            alarms.set("again", to: clock.uptime + .seconds(1), clock) { await self.again(look) }
        }

        private func again(_ look: @Sendable () -> Void) {
            alarms.wentOff("again")
            alarms.set("again", to: clock.uptime + .seconds(1), clock) {}
            look()
        }

        private func went(_ name: String) {
            alarms.wentOff(name)
            log.change { $0.append(name) }
        }

        func wentOffLate(_ name: String) { alarms.wentOff(name) }
        func clear() { alarms.clear() }
        func end() { alarms.end() }
    }

    private let owner = Owner()

    @Test("Each alarm goes off once at its time, and can be set for the same time again")
    func goesOff() async throws {
        let now = owner.clock.uptime
        await owner.set("a", to: now + .seconds(1))
        await owner.set("b", to: now + .seconds(2))
        await owner.set("b", to: now + .seconds(2))
        owner.clock.advance(by: .seconds(2))
        try await owner.log.wait("both go off") { $0.sorted() == ["a", "b"] ? () : nil }
        #expect(await owner.count == 0)
        await owner.set("b", to: now + .seconds(2))
        try await owner.log.wait("it goes off again") { $0.count == 3 ? () : nil }
    }

    @Test("Setting an alarm again does not cancel its running action")
    func setAnew() async throws {
        let wasCancelled = Watched<Bool?>(nil)
        await owner.repeatOnce { wasCancelled.change { $0 = Task.isCancelled } }
        owner.clock.advance(by: .seconds(1))
        #expect(try await wasCancelled.wait("it goes off") { $0 } == false)
    }

    @Test("A moved or cleared alarm does not go off at its former time")
    func moved() async throws {
        let now = owner.clock.uptime
        await owner.set("moved", to: now + .seconds(1))
        await owner.set("moved", to: now + .seconds(9))
        await owner.set("cleared", to: now + .seconds(1))
        await owner.set("cleared", to: nil)
        await owner.set("last", to: now + .seconds(2))
        owner.clock.advance(by: .seconds(2))
        try await owner.log.wait("the last goes off") { $0.contains("last") ? () : nil }
        #expect(await owner.count == 1)
        // The tasks of the former times have ended.
        await owner.clock.waitForMoments { $0.count == 1 }
        #expect(owner.log.value == ["last"])
    }

    @Test(
        "An alarm that is set again before its end is recorded has only one sleeping task, however often that happens")
    func setMeanwhile() async throws {
        let now = owner.clock.uptime
        for second in 1...100 {
            await owner.set("a", to: now + .seconds(second))
            await owner.wentOffLate("a")
        }
        await owner.set("a", to: now + .seconds(100))
        #expect(await owner.count == 1)
        await owner.clock.waitForMoments { $0.count == 1 }
    }

    @Test("After all alarms are cleared, none goes off, and each can be set again")
    func cleared() async throws {
        let now = owner.clock.uptime
        await owner.set("a", to: now + .seconds(1))
        await owner.set("b", to: now + .seconds(1))
        await owner.clear()
        #expect(await owner.count == 0)
        await owner.set("b", to: now + .seconds(1))
        owner.clock.advance(by: .seconds(1))
        try await owner.log.wait("it goes off") { $0.isEmpty ? nil : () }
        await owner.clock.waitForMoments(\.isEmpty)
        #expect(owner.log.value == ["b"])
    }

    @Test("After the end no alarm can be set")
    func ended() async throws {
        let now = owner.clock.uptime
        await owner.set("a", to: now + .seconds(1))
        await owner.clock.waitForSleepers()
        await owner.end()
        await owner.set("b", to: now + .seconds(1))
        #expect(await owner.count == 0)
        await owner.clock.waitForMoments(\.isEmpty)
    }
}
