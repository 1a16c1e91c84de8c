// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests how beacons, and their absence, create and withdraw offers.
@Suite struct OfferBookTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("A beacon creates an offer, and the same beacon again has no effect")
    mutating func beaconMakesAnOffer() {
        let heard = beacon(0x0A, flags: [.hasWebpage, .supportsStreams])
        _ = listener.book.membersChanged([1, 0x0A], at: listener.uptime)
        _ = listener.meet(0x0A, naming: [reading])
        #expect(listener.hear(heard) == [.appeared(offer(heard))])
        #expect(listener.book.offers.map(\.id) == ["0000000a-1122334455"])
        #expect(listener.hear(heard) == [])
    }

    @Test("A device's own beacons are ignored")
    mutating func ownBeaconsAreIgnored() {
        #expect(listener.hear(beacon(1)) == [])
        #expect(listener.book.heard(1) == [])
    }

    @Test("Beacons of devices that are not in the roster are ignored")
    mutating func strangersToTheRoster() { #expect(listener.hear(beacon(99)) == []) }

    @Test("Beacons with older sequence numbers are ignored, and so are their addresses")
    mutating func olderSequencesAreIgnored() {
        let new = beacon(sequence: 11)
        _ = listener.hear(new)
        #expect(listener.hear(beacon(2, writing, sequence: 10), at: "b") == [])
        #expect(listener.book.offers == [offer(new)])
        #expect(listener.book.heard(2).map(\.address) == ["a"])
    }

    @Test("A beacon with the same sequence number but other fields is ignored")
    mutating func equalSequence() {
        _ = listener.hear(beacon())
        #expect(listener.hear(beacon(2, writing)) == [])
        #expect(listener.hear(beacon(flags: [.ended])) == [])
        #expect(listener.book.offers == [offer(beacon())])
    }

    @Test("A beacon with a newer sequence number replaces the offer")
    mutating func newerSequence() {
        _ = listener.hear(beacon())
        let changed = beacon(sequence: 11, flags: [.hasWebpage])
        #expect(listener.hear(changed) == [.changed(offer(changed, since: 10))])
        let other = beacon(2, writing, sequence: 12)
        let events = listener.hear(other)
        #expect(
            events == [
                .appeared(offer(other, type: nil)), .disappeared("00000002-1122334455"),
                .dial(device: 2, address: "a", psm: 0x80),
            ])
        #expect(listener.book.offers.count == 1)
    }

    @Test("Received sequence numbers do not wrap")
    mutating func sequencesDoNotWrap() {
        _ = listener.hear(beacon(sequence: .max))
        #expect(listener.hear(beacon(2, writing, sequence: 0)) == [])
        #expect(listener.hear(beacon(2, writing, sequence: 1)) == [])
    }

    @Test("A sequence number is forgotten 30 minutes after it was last heard")
    mutating func forgottenSequence() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(listener.pass(1_799) == [.disappeared("00000002-1122334455")])
        // A beacon with an older number does not extend the memory.
        #expect(listener.hear(beacon(sequence: 9)) == [])
        #expect(listener.pass(1) == [])
        #expect(listener.hear(beacon(sequence: 9)) == [.appeared(offer(beacon(sequence: 9)))])
    }

    @Test("A beacon with the ended flag withdraws the offer at once")
    mutating func endedWithdrawsAtOnce() {
        _ = listener.hear(beacon())
        #expect(listener.hear(beacon(sequence: 11, flags: [.ended])) == [.disappeared("00000002-1122334455")])
        // A replay does not restore the offer from before the end.
        #expect(listener.hear(beacon(sequence: 10), at: "replay") == [])
    }

    @Test("When an address is lost, its offer is withdrawn unless another address also carries it")
    mutating func lostAddress() {
        _ = listener.hear(beacon(), at: "a")
        _ = listener.hear(beacon(), at: "b")
        #expect(listener.book.lost(address: "nobody", at: listener.uptime) == [])
        #expect(listener.book.lost(address: "a", at: listener.uptime) == [.changed(offer(beacon(), address: "b"))])
        #expect(listener.book.lost(address: "b", at: listener.uptime) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(), at: "c") == [.appeared(offer(beacon(), address: "c"))])
    }

    @Test("An offer without new beacons is withdrawn after 20 minutes")
    mutating func unconfirmedOffer() {
        _ = listener.hear(beacon(), validFor: .seconds(1_800))
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(1_200))
        _ = listener.pass(600)
        _ = listener.hear(beacon(), validFor: .seconds(1_800))
        #expect(listener.pass(1_199) == [])
        #expect(listener.pass(1) == [.disappeared("00000002-1122334455")])
        #expect(listener.book.nextDeadline == nil)
    }

    @Test("An offer does not outlive the validity of its bytes")
    mutating func offerDoesNotOutliveItsBytes() {
        _ = listener.hear(beacon(), validFor: .seconds(60))
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(60))
        #expect(listener.pass(60) == [.disappeared("00000002-1122334455")])
    }

    @Test("A new sequence number with otherwise equal fields means another activity")
    mutating func unaccountedSequence() {
        func since(_ beacon: Beacon) -> UInt32? {
            _ = listener.hear(beacon)
            return listener.book.offers.first?.since
        }
        #expect(since(beacon(sequence: 10)) == 10)
        #expect(since(beacon(sequence: 11, flags: [.hasWebpage])) == 10)
        #expect(since(beacon(sequence: 12, flags: [.hasWebpage])) == 12)
        #expect(since(beacon(sequence: 12, flags: [.hasWebpage])) == 12)
        #expect(since(beacon(sequence: 13)) == 12)
        #expect(since(beacon(sequence: 14, flags: [.ended])) == nil)
        #expect(since(beacon(sequence: 15)) == 15)
    }

    @Test("An idle beacon makes no offer, but its device can be dialled")
    mutating func idleButReachable() {
        #expect(listener.hear(beacon(2, ActivityHash.none, flags: [.idle]), at: "a") == [])
        #expect(listener.book.heard(2) == [HeardAt(address: "a", psm: 0x80, signal: -50)])
        #expect(listener.hear(beacon(3, ActivityHash.none), at: "b") == [])
    }

    /// The device can still be dialled at other endpoints, if it has named any.
    @Test("A device without a PSM is not dialled at a radio address")
    mutating func deviceWithoutPSM() {
        let heard = beacon(2, writing, psm: 0)
        #expect(
            listener.hear(heard) == [
                .appeared(offer(heard, type: nil)), .dial(device: 2, address: "a", psm: 0),
            ])
        #expect(listener.book.heard(2) == [])
    }

    @Test("The offers of former members are withdrawn")
    mutating func formerMembersOffers() {
        _ = listener.hear(beacon(2))
        _ = listener.hear(beacon(3), at: "b")
        #expect(listener.book.membersChanged([1, 3], at: listener.uptime) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(2, sequence: 11)) == [])
        #expect(listener.book.offers.map(\.device) == [3])
    }

    @Test("Offers of at most 128 devices are kept")
    mutating func atMost128Devices() {
        _ = listener.book.membersChanged(Set(2...500), at: listener.uptime)
        for device in UInt32(2)...500 {
            _ = listener.meet(device, naming: [reading])
            _ = listener.hear(beacon(device), at: "a\(device)")
        }
        #expect(listener.book.offers.count == 128)
    }

    @Test("The reported events always add up to the present offers")
    mutating func eventsAlwaysAddUpToTheOffers() throws {
        var generator = SeededGenerator(seed: 42)
        var told: [String: Offer] = [:]
        for _ in 0..<20_000 {
            let device = UInt32.random(in: 1...4, using: &generator)
            let heard = Beacon(
                device: device,
                activity: [reading, writing, ActivityHash.none][Int.random(in: 0...2, using: &generator)],
                flags: BeaconFlags(rawValue: .random(in: 0...15, using: &generator)),
                sequence: .random(in: 0...40, using: &generator),
                psm: [0, 0x80][Int.random(in: 0...1, using: &generator)])
            let address = "\(Int.random(in: 0...12, using: &generator))"
            let events: [OfferBook.Event]
            switch Int.random(in: 0...9, using: &generator) {
            case 0: events = listener.book.lost(address: address, at: listener.uptime)
            case 1: events = listener.pass(.random(in: 0...900, using: &generator))
            case 2:
                events = listener.book.hello(
                    device: device, sequence: heard.sequence, activity: heard.offered, at: listener.uptime)
            case 3: events = listener.learn(writing, "w")
            case 4: events = listener.book.linkEnded(to: device, at: listener.uptime)
            default:
                events = listener.hear(
                    heard, at: address, signal: .random(in: -100...0, using: &generator),
                    validFor: .seconds(Int.random(in: 1...1_800, using: &generator)))
            }
            for event in events {
                switch event {
                case .appeared(let offer): #expect(told.updateValue(offer, forKey: offer.id) == nil)
                case .changed(let offer): #expect(told.updateValue(offer, forKey: offer.id) != nil)
                case .disappeared(let id): #expect(told.removeValue(forKey: id) != nil)
                case .dial(let device, _, _): #expect(device != 1)
                }
            }
            #expect(listener.book.offers == told.values.sorted { $0.id < $1.id })
            #expect(Set(told.values.map(\.device)).count == told.count)
        }
    }
}
