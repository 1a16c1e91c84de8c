// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests ``UnknownAdvertisers`` alone.
struct UnknownAdvertisersTests {
    private var subject = UnknownAdvertisers()

    @Test("The strongest signals come first and unknown signals last, and each device's last report counts")
    mutating func order() {
        for (address, signal) in [("a", -70), ("b", -40), ("c", nil), ("d", -70)] {
            subject.heard(address, signal: signal)
        }
        #expect(subject.strongest(9) == ["b", "a", "d", "c"])
        subject.heard("a", signal: -30)
        subject.lost("b")
        #expect(subject.strongest(2) == ["a", "d"] && !subject.contains("b"))
    }

    @Test("Many unknown advertisers do not fill memory, and known devices are still heard")
    mutating func noise() {
        for number in 0..<100 { subject.heard("\(number)", signal: -90) }
        subject.heard("0", signal: -20)
        subject.heard("new", signal: -10)
        #expect(subject.count == UnknownAdvertisers.maximum)
        #expect(subject.strongest(1) == ["0"])
    }
}
