// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// What a device says of its beacon inside TLS, beside what is heard of it
/// (Documentation/Decisions/0102).
@Suite struct OfferBookHelloTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("A hello overrides the remembered sequence, up or down, at once")
    mutating func helloOverridesSequence() {
        _ = listener.hear(beacon(sequence: 500))
        #expect(hello(3, writing) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(2, writing, sequence: 2)) == [])
        #expect(listener.hear(beacon(2, reading, sequence: 3)) == [])
        let restored = beacon(2, writing, sequence: 3)
        #expect(listener.hear(restored).first == .appeared(offer(restored, type: nil)))
        #expect(listener.hear(beacon(2, writing, sequence: 3, flags: [.hasWebpage])) == [])
    }

    @Test("While a link is up, beacons that contradict its hello change nothing, however high their sequences")
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

    @Test("A beacon that comes before its hello makes its offer when the hello comes")
    mutating func beaconBeforeHello() {
        #expect(hello(10, nil) == [])
        let heard = beacon(sequence: 11)
        #expect(listener.hear(heard) == [])
        #expect(hello(11, reading) == [.appeared(offer(heard))])
    }

    @Test("A hello that a beacon has overtaken withdraws the offer until the next hello, or the end of the link")
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

    @Test("After the link, of two beacons the later and higher counts, and none that a lost address carried")
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
        #expect(
            listener.book.linkEnded(to: 2, at: listener.uptime).first
                == .appeared(offer(other, type: nil)))
        #expect(listener.book.offers.map(\.activity) == [writing])
    }

    @Test("Of two links' hellos the one with the higher sequence counts")
    mutating func twoLinks() {
        _ = hello(12, reading)
        #expect(hello(11, writing) == [])
        #expect(listener.hear(beacon(sequence: 12)) == [.appeared(offer(beacon(sequence: 12)))])
        #expect(listener.hear(beacon(2, writing, sequence: 13)) == [])
    }

    @Test("A beacon that was ignored for a forged sequence counts when a hello agrees with it, at its own address")
    mutating func forgedSequence() {
        _ = listener.hear(beacon(2, writing, sequence: .max), at: "mallory")
        let heard = beacon(sequence: 10)
        #expect(listener.hear(heard) == [])
        #expect(
            hello(10, reading) == [.appeared(offer(heard)), .disappeared("00000002-0202020202")])
        #expect(listener.book.heard(2).map(\.address) == ["a"])
    }

    @Test("What waits for a hello is bounded, and is good for no longer than its bytes")
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
        #expect(hello(12, reading) == [])
        #expect(listener.hear(beacon(sequence: 12)) == [.appeared(offer(beacon(sequence: 12)))])
    }

    @Test("A hello alone makes no offer")
    mutating func helloAloneMakesNoOffer() {
        #expect(hello(10, reading) == [])
        #expect(listener.book.hello(device: 99, sequence: 1, activity: reading, at: listener.uptime) == [])
        #expect(listener.book.offers.isEmpty)
        #expect(listener.hear(beacon()) == [.appeared(offer(beacon()))])
    }

    @Test("A device's offer is shown only once a hello of that very device has named its hash")
    mutating func unnamedIsNotShown() {
        let lie = beacon(2, unnamed, flags: [.hasWebpage])
        #expect(listener.hear(lie) == [.dial(device: 2, address: "a", psm: 0x80)])
        // What another names is named for that one alone.
        _ = listener.meet(3, naming: [unnamed])
        _ = listener.learn(unnamed, "u", from: 3)
        #expect(listener.hear(lie) == [])
        #expect(listener.book.offers.isEmpty)
        #expect(hello(10, unnamed) == [.appeared(offer(lie, type: "u"))])
    }

    @Test("A device names what its table of types has, too, and what is shown stays named")
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

    @Test("What a device has named once is shown at once from then on, until the device is removed")
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

    @Test("A dial is repeated while the device names nothing of what is advertised in its name, and becomes rare")
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

    @Test("A device has room for as many named activities as a hello has")
    mutating func boundedNames() {
        for number: UInt8 in 0...255 {
            _ = hello(UInt32(number), ActivityHash([9, 9, 9, 9, number], at: 0))
        }
        #expect(listener.book.namedActivityCount == OfferLimits.namedActivities + 2)
        _ = listener.book.linkEnded(to: 2, at: listener.uptime)
        #expect(!listener.hear(beacon(2, reading, sequence: 300)).contains { !$0.isDial })
        #expect(listener.hear(beacon(3), at: "b") == [.appeared(offer(beacon(3), address: "b"))])
    }

    @Test("An idle beacon is taken after a hello without activity")
    mutating func idleAfterHello() {
        #expect(hello(10, nil) == [])
        _ = listener.hear(beacon(2, ActivityHash.none, flags: [.idle]))
        #expect(listener.book.heard(2).map(\.psm) == [0x80])
    }

    /// One that no device has named.
    private var unnamed: ActivityHash { ActivityHash([7, 7, 7, 7, 7], at: 0) }

    private mutating func hello(_ sequence: UInt32, _ activity: ActivityHash?) -> [OfferBook.Event] {
        listener.book.hello(device: 2, sequence: sequence, activity: activity, at: listener.uptime)
    }
}

extension OfferBook.Event {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
}
