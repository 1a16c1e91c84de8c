// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``PairingSightings`` alone. PairingSightingTests tests them in a service.
struct PairingSightingsTests {
    private var subject = PairingSightings()

    private static func advert(_ number: UInt8) throws -> PairingAdvert {
        try #require(PairingAdvert(nonce: [UInt8](repeating: number, count: 8), psm: 0x80))
    }

    @Test("A device that this one has paired with does not count again, at any address, and the others still count")
    mutating func spokenTo() throws {
        let (met, other) = (try Self.advert(1), try Self.advert(2))
        subject.heard(met, at: "a")
        subject.heard(met, at: "b")
        subject.heard(other, at: "c")
        subject.spokenTo(met)
        subject.heard(met, at: "d")
        #expect(subject.all == ["c": other])
        #expect(!subject.counts(met) && subject.counts(other))
    }

    @Test("The table of advertisements is limited in size, and updates known addresses even when it is full")
    mutating func noise() throws {
        let (first, second) = (try Self.advert(1), try Self.advert(2))
        for number in 0..<100 { subject.heard(first, at: "\(number)") }
        subject.heard(second, at: "0")
        #expect(subject.all.count == PairingSightings.maximum && subject.all["0"] == second)
        for number in 0..<100 { subject.lost("\(number)") }
        #expect(subject.all.isEmpty)
        // The devices of the latest pairings do not count, and the devices of the earliest ones
        // count again.
        for number in 0...UInt8(PairingSightings.maximum) { subject.spokenTo(try Self.advert(number)) }
        #expect(subject.counts(try Self.advert(0)) && !subject.counts(first))
    }
}
