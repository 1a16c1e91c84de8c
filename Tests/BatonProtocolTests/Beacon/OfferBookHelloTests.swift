// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests hellos, in which a device describes its own beacon inside TLS, together with beacons that
/// were heard (Documentation/Decisions/0102).
@Suite struct OfferBookHelloTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("A hello replaces the remembered sequence number at once, whether by a higher or a lower one")
    mutating func helloOverridesSequence() {
        _ = listener.hear(beacon(sequence: 500))
        #expect(hello(3, writing) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(2, writing, sequence: 2)) == [])
        #expect(listener.hear(beacon(2, reading, sequence: 3)) == [])
        let restored = beacon(2, writing, sequence: 3)
        #expect(listener.hear(restored).first == .appeared(offer(restored, type: nil)))
        #expect(listener.hear(beacon(2, writing, sequence: 3, flags: [.hasWebpage])) == [])
    }

    @Test("While a link is open, beacons that contradict its hello are ignored, even if their numbers are higher")
    mutating func contradictingBeacons() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(hello(10, reading) == [])
        for (number, lie) in [
            beacon(2, writing), beacon(2, unnamed), beacon(2, ActivityHash.none), beacon(flags: [.ended]),
            beacon(2, ActivityHash.none, flags: [.idle], psm: 0),
        ].enumerated() {
            for address in ["a", "mallory"] {
                var lie = lie
                for sequence in [10, 11, UInt32.max] {
                    lie.sequence = sequence
                    #expect(listener.hear(lie, at: address) == [], "\(number)")
                }
            }
        }
        #expect(listener.book.offers == [offer(beacon(sequence: 10))])
        #expect(listener.book.heard(2).map(\.address) == ["a"])
    }

    @Test("A beacon that arrives before its hello makes an offer when the hello arrives")
    mutating func beaconBeforeHello() {
        #expect(hello(10, nil) == [])
        let heard = beacon(sequence: 11)
        #expect(listener.hear(heard) == [])
        #expect(hello(11, reading) == [.appeared(offer(heard))])
    }

    @Test("A hello that arrives after a newer beacon withdraws the offer until the next hello comes or the link ends")
    mutating func overtakenHello() {
        let heard = beacon(sequence: 11)
        _ = listener.hear(heard)
        let book = listener.book
        for isNextHello in [true, false] {
            listener.book = book
            #expect(hello(10, nil) == [.disappeared("00000002-1122334455")])
            #expect(
                (isNextHello ? hello(11, reading) : listener.book.linkEnded(to: 2, at: listener.uptime))
                    == [.appeared(offer(heard))])
        }
    }

    @Test("After the link has ended, the later beacon with the higher number counts, but none from a lost address")
    mutating func afterTheLink() {
        let (agreeing, other) = (beacon(sequence: 12), beacon(2, writing, sequence: 13))
        _ = hello(12, reading)
        _ = listener.hear(other, at: "b")
        _ = listener.pass(1)
        #expect(listener.hear(agreeing) == [.appeared(offer(agreeing))])
        #expect(listener.book.linkEnded(to: 2, at: listener.uptime) == [], "what came before is over")
        _ = hello(12, reading)
        _ = listener.hear(other, at: "b")
        _ = listener.book.lost(address: "b", at: listener.uptime)
        #expect(listener.book.linkEnded(to: 2, at: listener.uptime) == [])
        _ = hello(12, reading)
        _ = listener.hear(other, at: "b")
        // The address in use has not sent this beacon, so the beacon's signal does not count.
        var waited = offer(other, type: nil)
        waited.signal = nil
        #expect(listener.book.linkEnded(to: 2, at: listener.uptime).first == .appeared(waited))
        #expect(listener.book.offers.map(\.activity) == [writing])
    }

    @Test("If hellos come over two links, the one with the higher sequence number counts")
    mutating func twoLinks() {
        _ = hello(12, reading)
        #expect(hello(11, writing) == [])
        #expect(listener.hear(beacon(sequence: 12)) == [.appeared(offer(beacon(sequence: 12)))])
        #expect(listener.hear(beacon(2, writing, sequence: 13)) == [])
    }

    @Test("A beacon that was ignored because of a forged sequence number counts when a hello agrees with it")
    mutating func forgedSequence() {
        _ = listener.hear(beacon(2, writing, sequence: .max), at: "mallory")
        let heard = beacon(sequence: 10)
        #expect(listener.hear(heard) == [])
        #expect(hello(10, reading) == [.appeared(offer(heard)), .disappeared("00000002-0202020202")])
        #expect(listener.book.heard(2).map(\.address) == ["a"])
    }

    @Test("Beacons that wait for a hello are limited in number, and expire with their bytes")
    mutating func waitingBeacons() {
        _ = hello(10, nil)
        _ = listener.hear(beacon(sequence: 11), at: "a", validFor: .seconds(60))
        for number in 0..<OfferLimits.addresses {
            _ = listener.hear(beacon(sequence: 11), at: "\(number)", validFor: .seconds(60))
        }
        let full = listener.book
        _ = hello(11, reading)
        #expect(Set(listener.book.heard(2).map(\.address)) == Set((0..<OfferLimits.addresses).map { "\($0)" }))
        listener.book = full
        _ = listener.pass(60)
        #expect(hello(11, reading) == [])
    }

    @Test("A hello with the same activity keeps the offer")
    mutating func helloKeepsOffer() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(hello(10, reading) == [])
        // The signal belongs to the beacon with the previous sequence number.
        #expect(hello(12, reading) == [.changed(offer(beacon(sequence: 12), signal: nil, since: 10))])
        // The hello's own beacon shows the same activity with other flags.
        let heard = beacon(sequence: 12, flags: [.hasWebpage])
        #expect(listener.hear(heard) == [.changed(offer(heard, since: 10))])
    }

    @Test("A hello withdraws an offer that has ended")
    mutating func helloWithdrawsWhatIsOver() {
        _ = listener.hear(beacon())
        #expect(hello(11, nil) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon()) == [])
        #expect(listener.hear(beacon(sequence: 11, flags: [.ended])) == [])
        #expect(hello(12, reading) == [])
        #expect(listener.hear(beacon(sequence: 12)) == [.appeared(offer(beacon(sequence: 12)))])
    }

    @Test("A hello without a beacon makes no offer")
    mutating func helloAloneMakesNoOffer() {
        #expect(hello(10, reading) == [])
        #expect(listener.book.hello(device: 99, sequence: 1, activity: reading, at: listener.uptime) == [])
        #expect(listener.book.offers.isEmpty)
        #expect(listener.hear(beacon()) == [.appeared(offer(beacon()))])
    }

    @Test("An offer is shown only after a hello of the same device has named its hash")
    mutating func unnamedIsNotShown() {
        let lie = beacon(2, unnamed, flags: [.hasWebpage])
        #expect(listener.hear(lie) == [.dial(device: 2, address: "a", psm: 0x80)])
        // A hello names only activities of its own device.
        _ = listener.meet(3, naming: [unnamed])
        _ = listener.learn(unnamed, "u", from: 3)
        #expect(listener.hear(lie) == [])
        #expect(listener.book.offers.isEmpty)
        #expect(hello(10, unnamed) == [.appeared(offer(lie, type: "u"))])
    }

    @Test("The table of types in a hello also names activities, and the activity of a shown offer is never forgotten")
    mutating func namedByTheTable() throws {
        _ = listener.learn(unnamed, "u")
        _ = hello(9, nil)
        _ = listener.book.linkEnded(to: 2, at: listener.uptime)
        let heard = beacon(2, unnamed)
        #expect(listener.hear(heard) == [.appeared(offer(heard, type: "u"))])
        for number: UInt8 in 0...255 {
            _ = listener.learn(ActivityHash([9, 9, 9, 9, number], at: 0), "t")
        }
        #expect(listener.hear(heard) == [])
        #expect(listener.book.offers == [offer(heard, type: "u")])
    }

    @Test("An activity that a device has named before is shown at once, until the device is removed")
    mutating func namedIsRemembered() {
        _ = hello(1, unnamed)
        _ = listener.book.linkEnded(to: 2, at: listener.uptime)
        _ = listener.pass(86_400)
        let heard = beacon(2, unnamed)
        #expect(listener.hear(heard).first == .appeared(offer(heard, type: nil)))
        _ = listener.book.membersChanged([1, 3], at: listener.uptime)
        _ = listener.book.membersChanged([1, 2, 3], at: listener.uptime)
        #expect(listener.hear(heard).filter { !$0.isDial } == [])
    }

    @Test("A device that does not name its advertised activity is dialled again, with growing pauses")
    mutating func vainDialsForForgedBeacons() {
        var dials: [Int] = []
        for second in 0...150 {
            let events = listener.hear(beacon(2, unnamed, sequence: 10 + UInt32(second))) + listener.pass(1)
            guard events.contains(where: \.isDial) else { continue }
            dials.append(second)
            _ = listener.meet(2, naming: [reading])
        }
        #expect(dials.first == 0 && dials.count <= 5)
        #expect(listener.book.offers.isEmpty)
    }

    @Test("A device can name as many activities as fit into a hello")
    mutating func boundedNames() {
        for number: UInt8 in 0...255 {
            _ = hello(UInt32(number), ActivityHash([9, 9, 9, 9, number], at: 0))
        }
        #expect(listener.book.namedActivityCount == OfferLimits.namedActivities + 2)
        _ = listener.book.linkEnded(to: 2, at: listener.uptime)
        #expect(!listener.hear(beacon(2, reading, sequence: 300)).contains { !$0.isDial })
        #expect(listener.hear(beacon(3), at: "b") == [.appeared(offer(beacon(3), address: "b"))])
    }

    @Test("An idle beacon is accepted after a hello without an activity")
    mutating func idleAfterHello() {
        #expect(hello(10, nil) == [])
        _ = listener.hear(beacon(2, ActivityHash.none, flags: [.idle]))
        #expect(listener.book.heard(2).map(\.psm) == [0x80])
    }

    /// An activity that no device has named.
    private var unnamed: ActivityHash { ActivityHash([7, 7, 7, 7, 7], at: 0) }

    private mutating func hello(_ sequence: UInt32, _ activity: ActivityHash?) -> [OfferBook.Event] {
        listener.book.hello(device: 2, sequence: sequence, activity: activity, at: listener.uptime)
    }
}

extension OfferBook.Event {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
}
