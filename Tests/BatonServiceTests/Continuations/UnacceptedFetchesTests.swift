// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests ``UnacceptedFetches`` alone.
struct UnacceptedFetchesTests {
    private var subject = UnacceptedFetches()

    /// Fetches an activity a number of times. Returns the counts that are reported.
    private mutating func fetch(_ times: Int, _ instance: UInt8 = 1, at uptime: Int = 0) -> [Int] {
        (0..<times).compactMap { _ in subject.fetched([instance], at: .seconds(uptime)) }
    }

    @Test("A device is reported once, when it has fetched the same activity again ten times")
    mutating func toldOnce() {
        #expect(UnacceptedFetches.tolerated == 10)
        #expect(fetch(10) == [])
        #expect(fetch(1) == [10])
        #expect(fetch(100) == [])
    }

    @Test("Each acceptance cancels out one repeated fetch, and when none is left the device can be reported again")
    mutating func acceptanceMakesUpForOne() {
        #expect(fetch(10) == [])
        subject.accepted()
        #expect(fetch(1) == [])
        #expect(fetch(1) == [10])
        for _ in 0..<9 { subject.accepted() }
        #expect(fetch(20) == [])
        for _ in 0..<21 { subject.accepted() }
        #expect(fetch(10) == [10])
    }

    @Test("The first unaccepted fetch of each activity does not count, but fetching a few activities in turn does")
    mutating func everyActivityOnce() {
        for instance in 0..<100 { #expect(fetch(1, UInt8(instance)) == []) }
        subject.accepted()
        let told = (0..<20).flatMap { fetch(1, UInt8($0 % 4)) }
        #expect(told == [10])
    }

    @Test("An hour after its last fetch a device starts from zero")
    mutating func anHourLater() {
        #expect(fetch(10, at: 0) == [])
        #expect(fetch(10, at: 3_600) == [])
        #expect(fetch(1, at: 7_199) == [10])
    }

    @Test("A stopped device gets nothing for an hour, or until the user allows it again")
    mutating func stopped() {
        subject.stop(at: .seconds(10), unixTime: 1_000)
        #expect(subject.stopEnd(at: .seconds(3_609)) == 4_600)
        #expect(subject.stopEnd(at: .seconds(3_610)) == nil)
        let allowed = [subject.allow(at: .seconds(11)), subject.allow(at: .seconds(11))]
        #expect(allowed == [true, false])
        #expect(subject.stopEnd(at: .seconds(11)) == nil)
        subject.stop(at: .seconds(10), unixTime: 1_000)
        let isOver = !subject.allow(at: .seconds(3_610))
        #expect(isOver)
    }
}
