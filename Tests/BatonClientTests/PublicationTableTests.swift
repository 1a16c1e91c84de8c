// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Testing

@testable import BatonClient

@Suite struct PublicationTableTests {
    private let first = ActivityIdentity()
    private let second = ActivityIdentity()

    /// Carries out all steps with a daemon that keeps a limited number of activities. Returns the
    /// calls.
    private func settle(
        _ table: inout PublicationTable, room: Int = 64, copies: inout [String]
    ) -> [PublicationMachine.Call] {
        var (calls, pauses) = ([PublicationMachine.Call](), [ActivityIdentity]())
        while true {
            guard let (key, step) = table.next() else {
                guard let paused = pauses.popLast() else { return calls }
                _ = table.change(paused) { $0.pauseEnded() }
                continue
            }
            switch step {
            case .ask: _ = table.change(key) { $0.answered(ActivityState(activityType: "t")) }
            case .pause: pauses.append(key)
            case .call(let call):
                calls.append(call)
                var result = Result<String, BatonError>.success("")
                if case .publish = call {
                    if copies.count == room {
                        result = .failure(BatonError(.limitReached, appMessage: "full"))
                    } else {
                        let copy = "\(ActivityIdentity())"
                        copies.append(copy)
                        result = .success(copy)
                    }
                }
                if case .invalidate(let copy) = call { copies.removeAll { $0 == copy } }
                _ = table.finished(key, call, result)
            }
        }
    }

    @Test("A current activity stays on offer until the next one replaces it, and the replacement needs no further call")
    func replaced() throws {
        var (table, copies) = (PublicationTable(reattaches: true), [String]())
        table.becomeCurrent(first)
        _ = settle(&table, copies: &copies)
        table.becomeCurrent(second)
        let calls = settle(&table, copies: &copies)
        #expect(calls == [.publish(ActivityState(activityType: "t")), .becomeCurrent(copies[1])])
        table.resignCurrent()
        #expect(settle(&table, copies: &copies) == [.resignCurrent(copies[1])])
    }

    @Test("Beyond the daemon's limit the activity that was published first ends, and comes back when it is current")
    func makesRoom() throws {
        var (table, copies) = (PublicationTable(reattaches: true), [String]())
        table.becomeCurrent(first)
        _ = settle(&table, room: 1, copies: &copies)
        let former = copies[0]
        table.becomeCurrent(second)
        #expect(settle(&table, room: 1, copies: &copies).contains(.invalidate(former)))
        #expect(table.activity(copies[0]) == second && !table.contains(first))
        table.becomeCurrent(first)
        _ = settle(&table, room: 1, copies: &copies)
        #expect(table.activity(copies[0]) == first && table.count == 1)
    }

    @Test("A table forgets activities that have ended, however many there were")
    func keepsNothing() throws {
        var (table, copies) = (PublicationTable(reattaches: true), [String]())
        for _ in 0..<10_000 {
            let key = ActivityIdentity()
            table.becomeCurrent(key)
            _ = settle(&table, copies: &copies)
            _ = table.change(key) { $0.end() }
            _ = settle(&table, copies: &copies)
            try #require(table.count == 0 && copies.isEmpty)
        }
    }
}
