// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// What a device says of its beacon inside TLS, beside what is heard of it
/// (Documentation/Decisions/0011).
@Suite struct OfferBookHelloTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("A hello overrides the remembered sequence")
    mutating func helloOverridesSequence() {
        _ = listener.hear(beacon(sequence: 500))
        _ = listener.pass(30)
        #expect(hello(3, writing) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(2, writing, sequence: 2)) == [])
        #expect(listener.hear(beacon(2, reading, sequence: 3)) == [])
        let restored = beacon(2, writing, sequence: 3)
        #expect(listener.hear(restored).first == .appeared(offer(restored, type: nil)))
        #expect(listener.hear(beacon(2, writing, sequence: 3, flags: [.hasWebpage])) == [])
    }

    @Test("A hello that a beacon has overtaken withdraws nothing")
    mutating func overtakenHello() {
        _ = listener.hear(beacon(sequence: 11))
        #expect(hello(10, nil) == [])
        #expect(listener.pass(29) == [])
        #expect(listener.hear(beacon(sequence: 11)) == [])
        #expect(listener.pass(60) == [])
        #expect(listener.hear(beacon(2, writing, sequence: 10)) == [])
    }

    @Test("A hello that a beacon has overtaken withdraws nothing where the radio is silent, too")
    mutating func overtakenHelloInSilence() {
        _ = listener.hear(beacon(sequence: 11))
        #expect(hello(10, nil) == [])
        #expect(listener.pass(30) == [])
        #expect(listener.book.offers == [offer(beacon(sequence: 11))])
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(1_170))
        #expect(listener.hear(beacon(2, writing, sequence: 10)) == [])
        #expect(listener.hear(beacon(2, writing, sequence: 9)) == [])
    }

    @Test("A lower hello counts once a beacon agrees and none disagrees")
    mutating func lowerHelloAndBeacons() {
        let restored = beacon(2, writing, sequence: 3)
        let gone = OfferBook.Event.disappeared("00000002-1122334455")
        let listener = self.listener
        // Whether the beacon is heard before the hello, after it, or after its time.
        for moment in 0..<3 {
            self.listener = listener
            _ = self.listener.hear(beacon(sequence: 500))
            _ = self.listener.pass(10)
            if moment == 0 { #expect(self.listener.hear(restored) == []) }
            #expect(hello(3, writing) == [])
            if moment == 1 { #expect(self.listener.hear(restored) == []) }
            #expect(self.listener.book.nextDeadline == self.listener.uptime + .seconds(20))
            #expect(self.listener.pass(20) == (moment < 2 ? [gone] : []))
            let events = self.listener.hear(restored)
            #expect(events.contains(.appeared(offer(restored, type: nil))))
            #expect(events.contains(gone) == (moment == 2))
        }
    }

    @Test("A lower hello counts once no address carries the higher beacon")
    mutating func lowerHelloAndAddresses() {
        _ = listener.hear(beacon(sequence: 500))
        #expect(hello(3, writing) == [])
        #expect(listener.book.lost(address: "a", at: listener.uptime) == [.disappeared("00000002-1122334455")])
        _ = listener.pass(30)
        let restored = beacon(2, writing, sequence: 3)
        #expect(listener.hear(restored).first == .appeared(offer(restored, type: nil)))
    }

    @Test("A hello with the same activity keeps the offer")
    mutating func helloKeepsOffer() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(hello(10, reading) == [])
        #expect(hello(12, reading) == [.changed(offer(beacon(sequence: 12), since: 10))])
        // Its beacon says that it is the same one with other flags.
        let heard = beacon(sequence: 12, flags: [.hasWebpage])
        #expect(listener.hear(heard) == [.changed(offer(heard, since: 10))])
    }

    @Test("A hello withdraws what is over")
    mutating func helloWithdrawsWhatIsOver() {
        _ = listener.hear(beacon())
        #expect(hello(11, nil) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon()) == [])
        #expect(listener.hear(beacon(sequence: 11, flags: [.ended])) == [])
        #expect(listener.hear(beacon(sequence: 12)) == [.appeared(offer(beacon(sequence: 12)))])
    }

    @Test("A hello alone makes no offer")
    mutating func helloAloneMakesNoOffer() {
        #expect(hello(10, reading) == [])
        #expect(listener.book.hello(device: 99, sequence: 1, activity: reading, at: listener.uptime) == [])
        #expect(listener.book.offers.isEmpty)
        #expect(listener.hear(beacon()) == [.appeared(offer(beacon()))])
    }

    @Test("An idle beacon is taken after a hello without activity")
    mutating func idleAfterHello() {
        #expect(hello(10, nil) == [])
        _ = listener.hear(beacon(2, ActivityHash.none, flags: [.idle]))
        #expect(listener.book.heard(2).map(\.psm) == [0x80])
    }

    private mutating func hello(_ sequence: UInt32, _ activity: ActivityHash?) -> [OfferBook.Event] {
        listener.book.hello(device: 2, sequence: sequence, activity: activity, at: listener.uptime)
    }
}
