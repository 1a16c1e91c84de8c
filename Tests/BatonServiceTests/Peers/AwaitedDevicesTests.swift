// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``AwaitedDevices`` alone.
@Suite(.timeLimit(.minutes(5))) struct AwaitedDevicesTests {
    private let anna = DeviceIdentity().id
    private let berta = DeviceIdentity().id
    private var subject = AwaitedDevices()

    @Test("Only one program at a time can wait for a device")
    mutating func once() {
        let begun = [subject.begin(anna), subject.begin(anna), subject.begin(berta)]
        #expect(begun == [true, false, true] && subject.count == 2)
        subject.end(anna)
        let again = subject.begin(anna)
        #expect(again && subject.count == 2)
    }

    @Test("A waiter for a hailed device learns only of that device's arrival")
    mutating func arrival() async throws {
        let arrival = subject.beginHail(of: anna)
        let other = subject.beginHail(of: berta)
        #expect(subject.hailed == [anna, berta])
        subject.arrived(anna)
        try await arrival.value()
        subject.giveUp()
        await #expect(throws: CancellationError.self) { try await other.value() }
    }

    @Test("A device counts as hailed once its hail was on the air while a program waited for the device")
    mutating func aired() {
        subject.hailAired(anna)
        #expect(!subject.wasHailed(anna), "nobody waited")
        _ = subject.beginHail(of: anna)
        #expect(!subject.wasHailed(anna))
        subject.hailAired(berta)
        #expect(!subject.wasHailed(anna))
        subject.hailAired(anna)
        #expect(subject.wasHailed(anna))
        subject.endHail(of: anna)
        #expect(!subject.wasHailed(anna) && subject.hailed.isEmpty)
    }
}
