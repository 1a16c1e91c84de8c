// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``UnacceptedFetches`` alone.
struct UnacceptedFetchesTests {
    private let (sofa, desk): (DeviceID, DeviceID)
    private var subject = UnacceptedFetches()

    init() throws {
        sofa = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 32)))
        desk = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 32)))
    }

    /// Returns the reports about a number of fetches of an activity.
    private mutating func fetch(_ times: Int, _ instance: UInt8 = 1, by device: DeviceID, at uptime: Int = 0) -> [Int] {
        (0..<times).compactMap { _ in subject.fetched([instance], by: device, at: .seconds(uptime)) }
    }

    @Test("A device is reported once, when it has fetched the same activity again ten times")
    mutating func toldOnce() {
        #expect(UnacceptedFetches.tolerated == 10)
        #expect(fetch(10, by: sofa) == [])
        #expect(fetch(1, by: desk) == [])
        #expect(fetch(1, by: sofa) == [10])
        #expect(fetch(100, by: sofa) == [])
    }

    @Test("One acceptance offsets one repeated fetch; if all are offset, the device is reported again")
    mutating func acceptanceMakesUpForOne() {
        #expect(fetch(10, by: sofa) == [])
        subject.accepted(by: sofa)
        #expect(fetch(1, by: sofa) == [])
        #expect(fetch(1, by: sofa) == [10])
        for _ in 0..<9 { subject.accepted(by: sofa) }
        #expect(fetch(20, by: sofa) == [])
        for _ in 0..<21 { subject.accepted(by: sofa) }
        #expect(fetch(10, by: sofa) == [10])
    }

    @Test("One fetch of each activity without acceptance is allowed, as by rules; fetches in turn still count")
    mutating func everyActivityOnce() {
        for instance in 0..<100 { #expect(fetch(1, UInt8(instance), by: sofa) == []) }
        subject.accepted(by: sofa)
        let told = (0..<20).flatMap { fetch(1, UInt8($0 % 4), by: sofa) }
        #expect(told == [10])
    }

    @Test("An hour after its last fetch a device starts from zero, and nothing is kept")
    mutating func anHourLater() {
        #expect(fetch(10, by: sofa, at: 0) == [] && subject.count == 1)
        #expect(fetch(1, by: desk, at: 3_600) == [] && subject.count == 1)
        #expect(fetch(10, by: sofa, at: 3_600) == [])
    }

    @Test("A stopped device gets nothing for an hour, or until it is allowed again")
    mutating func stopped() {
        subject.stop(sofa, at: .seconds(10), unixTime: 1_000)
        #expect(subject.stopEnd(of: sofa, at: .seconds(3_609)) == 4_600)
        #expect(subject.stopEnd(of: desk, at: .seconds(10)) == nil)
        #expect(subject.stopEnd(of: sofa, at: .seconds(3_610)) == nil)
        subject.stop(sofa, at: .seconds(10), unixTime: 1_000)
        let allowed = [subject.allow(sofa, at: .seconds(11)), subject.allow(sofa, at: .seconds(11))]
        #expect(allowed == [true, false])
        #expect(subject.stopEnd(of: sofa, at: .seconds(11)) == nil && subject.count == 0)
    }

    @Test("Nothing is kept of removed devices")
    mutating func removed() {
        _ = fetch(2, by: sofa)
        subject.stop(desk, at: .zero, unixTime: 0)
        subject.keep { _ in false }
        #expect(subject.count == 0)
    }
}
