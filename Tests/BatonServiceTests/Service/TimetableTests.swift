// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

@Suite(.timeLimit(.minutes(3))) struct TimetableTests {
    /// An actor that owns a timetable, as the service does.
    private actor Owner {
        let clock = ManualClock()
        private var timetable = Timetable<String>()
        /// The parts that were due, in their order.
        let log = Watched<[String]>([])

        var count: Int { timetable.count }

        func set(_ part: String, to deadline: Duration?) {
            timetable.set(part, to: deadline, clock) { await self.timePassed() }
        }

        private func timePassed() {
            let due = timetable.takeDue(at: clock.uptime, clock) { await self.timePassed() }
            log.change { $0 += due }
        }

        func end() { timetable.end() }
    }

    private let owner = Owner()

    @Test("Each part is due once at its time, and can be due at the same time again")
    func due() async throws {
        let now = owner.clock.uptime
        await owner.set("b", to: now + .seconds(2))
        await owner.set("a", to: now + .seconds(1))
        await owner.set("b", to: now + .seconds(2))
        owner.clock.advance(by: .seconds(2))
        try await owner.log.wait("both are due") { $0 == ["a", "b"] ? () : nil }
        #expect(await owner.count == 0)
        await owner.set("b", to: now + .seconds(2))
        try await owner.log.wait("it is due again") { $0 == ["a", "b", "b"] ? () : nil }
    }

    @Test("A part of the timetable is due at its time, although an earlier one was cancelled or moved")
    func moved() async throws {
        let now = owner.clock.uptime
        await owner.set("off", to: now + .seconds(1))
        await owner.set("moved", to: now + .seconds(2))
        await owner.set("late", to: now + .seconds(3))
        await owner.set("off", to: nil)
        await owner.set("moved", to: now + .seconds(4))
        owner.clock.advance(by: .seconds(3))
        try await owner.log.wait("one is due") { $0 == ["late"] ? () : nil }
        owner.clock.advance(by: .seconds(1))
        try await owner.log.wait("the other is due") { $0 == ["late", "moved"] ? () : nil }
    }

    @Test("After the end no part is due, and none can be set")
    func end() async throws {
        let now = owner.clock.uptime
        await owner.set("before", to: now + .seconds(1))
        await owner.end()
        await owner.set("after", to: now + .seconds(1))
        #expect(await owner.count == 0)
        owner.clock.advance(by: .seconds(2))
        #expect(owner.clock.moments.isEmpty)
        #expect(owner.log.value.isEmpty)
    }
}
