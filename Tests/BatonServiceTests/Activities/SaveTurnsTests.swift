// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

/// Tests ``SaveTurns`` alone.
@Suite(.timeLimit(.minutes(5))) struct SaveTurnsTests {
    private let (sofa, desk): (DeviceID, DeviceID)
    private var subject = SaveTurns()

    init() throws {
        sofa = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 32)))
        desk = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 32)))
    }

    @Test("Each device has its first turn at once, and then one every three seconds")
    mutating func interval() throws {
        #expect(SaveTurns.interval == .seconds(3))
        #expect(try subject.turn(of: sofa, at: .seconds(10)) == nil)
        subject.take(by: sofa, at: .seconds(10))
        let turn = try #require(try subject.turn(of: sofa, at: .milliseconds(12_999)))
        #expect(turn.end == .seconds(13))
        #expect(try subject.turn(of: desk, at: .seconds(10)) == nil)
        #expect(try subject.turn(of: sofa, at: .seconds(13)) == nil)
    }

    @Test("The number of a device's waiting requests is limited, separately for each device")
    mutating func bounded() async throws {
        subject.take(by: sofa, at: .zero)
        subject.take(by: desk, at: .zero)
        let waiters = try #require(try subject.turn(of: sofa, at: .zero)).waiters
        let tasks = (0..<SaveTurns.maximumWaiting).map { _ in Task { try await waiters.value() } }
        try await eventually("all wait") { waiters.count == SaveTurns.maximumWaiting }
        #expect(subject.count == SaveTurns.maximumWaiting)
        let error = #expect(throws: HandoffError.self) { try subject.turn(of: sofa, at: .zero) }
        #expect(error?.code == .busy)
        #expect(try subject.turn(of: desk, at: .zero) != nil)
        subject.endAll()
        for task in tasks { try await task.value }
        #expect(subject.count == 0)
    }

    @Test("A hundred thousand devices whose turns have passed are all forgotten")
    mutating func nothingIsKept() throws {
        for number in 0..<100_000 {
            subject.take(by: number.isMultiple(of: 2) ? sofa : desk, at: SaveTurns.interval * number)
        }
        #expect(subject.deviceCount == 1)
    }
}
