// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// ``UnknownAdvertisers`` by themselves.
struct UnknownAdvertisersTests {
    private var subject = UnknownAdvertisers()

    @Test("Those that are heard best come first, those whose signal is not told last, and the last report counts")
    mutating func order() {
        for (address, signal) in [("a", -70), ("b", -40), ("c", nil), ("d", -70)] {
            subject.heard(address, signal: signal)
        }
        #expect(subject.strongest(9) == ["b", "a", "d", "c"])
        subject.heard("a", signal: -30)
        subject.lost("b")
        #expect(subject.strongest(2) == ["a", "d"] && !subject.contains("b"))
    }

    @Test("Noise fills no memory, and keeps nobody from being heard who is known")
    mutating func noise() {
        for number in 0..<100 { subject.heard("\(number)", signal: -90) }
        subject.heard("0", signal: -20)
        subject.heard("new", signal: -10)
        #expect(subject.count == UnknownAdvertisers.maximum)
        #expect(subject.strongest(1) == ["0"])
    }
}
