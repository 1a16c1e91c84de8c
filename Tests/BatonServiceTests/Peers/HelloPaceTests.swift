// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

/// Tests ``HelloPace`` alone.
struct HelloPaceTests {
    private var subject = HelloPace()

    private static func hello(_ sequence: UInt32, unixTime: Int64 = 0) -> Hello {
        Hello(name: "anna", unixTime: unixTime, sequence: sequence)
    }

    @Test("16 changes are sent at once, and after them only the latest one every 100 ms")
    mutating func paced() {
        let told = (0..<20).map { subject.tells(Self.hello($0), at: .zero) }
        #expect(told == (0..<20).map { $0 < 16 })
        #expect(subject.deadline == .milliseconds(100) && subject.told == Self.hello(15))
        let early = subject.tells(Self.hello(20), at: .milliseconds(99))
        let next = subject.tells(Self.hello(21), at: .milliseconds(100))
        #expect(!early && next && subject.deadline == nil && subject.told == Self.hello(21))
        let again = subject.tells(Self.hello(22), at: .milliseconds(150))
        #expect(!again && subject.deadline == .milliseconds(200))
    }

    @Test("A state that equals the one sent last is not sent again")
    mutating func news() {
        let told = [subject.tells(Self.hello(1), at: .zero), subject.tells(Self.hello(1, unixTime: 9), at: .zero)]
        #expect(told == [true, false])
        for number: UInt32 in 2..<17 { _ = subject.tells(Self.hello(number), at: .zero) }
        let waits = subject.tells(Self.hello(17), at: .zero)
        #expect(!waits && subject.deadline == .milliseconds(100))
        let isBack = subject.tells(Self.hello(16), at: .zero)
        #expect(!isBack && subject.deadline == nil)
    }

    @Test("If one device got a hello that the others did not get, the next hello counts as changed for all")
    mutating func oneDevice() {
        var told = [subject.tells(Self.hello(1), at: .zero)]
        subject.toldOne(Self.hello(1, unixTime: 9))
        told.append(subject.tells(Self.hello(1), at: .zero))
        subject.toldOne(Self.hello(2))
        told += [subject.tells(Self.hello(1), at: .zero), subject.tells(Self.hello(1), at: .zero)]
        #expect(told == [true, false, true, false])
    }
}

extension ServiceTests.HandoverLane {
    /// An app that changes its offer without end.
    struct RestlessAppTests {
        @Test("An app's endless changes are sent at intervals, and the last change is always sent")
        func lastIsTold() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                _ = try await berta.continueOffer(ofType: "note")
                for number in 0..<40 { try await anna.publish("t\(number)") }
                let told = try #require(await anna.service.peers.helloPace.told?.types.map(\.type))
                #expect(!told.contains("t39") && told.count < 20)
                clock.advance(by: HelloPace.limit.interval)
                _ = try await berta.offer(ofType: "t39")
                #expect(await anna.service.peers.helloPace.told?.types.contains { $0.type == "t39" } == true)
                #expect(await berta.service.counts["openLinks"] == 1)
            }
        }
    }
}
