// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests offers that a device sends over links that both sides keep (Beacon.md, "Links").
@Suite struct OfferBookLinkTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("An offer over a link is shown without a beacon, and withdrawn when the link ends")
    mutating func linkCarriesAnOffer() {
        #expect(hello(10, reading) == [])
        let told = linked(reading, 10, title: "A page")
        #expect(offered(10, reading, flags: [.hasWebpage], title: "A page") == [.appeared(told)])
        #expect(listener.book.offers == [told])
        #expect(listener.book.heard(2) == [])
        #expect(listener.pass(86_400) == [])
        #expect(withdrawn() == [.disappeared("00000002-1122334455")])
    }

    @Test("A changed title belongs to the same activity, and a new sequence number with equal flags means another")
    mutating func changedOffers() {
        _ = hello(10, reading)
        _ = offered(10, reading, flags: [.hasWebpage], title: "A page")
        #expect(
            offered(10, reading, flags: [.hasWebpage], title: "A title")
                == [.changed(linked(reading, 10, title: "A title"))])
        // The hello arrives before the new offer. The old offer stays until then.
        let events = hello(11, reading) + offered(11, reading, flags: [.hasWebpage])
        #expect(events.last == .changed(linked(reading, 11)))
        #expect(!events.contains(.disappeared("00000002-1122334455")))
        #expect(listener.book.offers.map(\.since) == [11])
    }

    @Test("An offer over links lasts until the last of its links ends")
    mutating func lastLink() {
        _ = hello(10, reading)
        _ = offered(10, reading, over: 1)
        #expect(offered(10, reading, over: 2) == [])
        #expect(withdrawn(1) == [])
        #expect(withdrawn(2) == [.disappeared("00000002-1122334455")])
    }

    @Test("When the link ends, the offer stays if a radio address still carries it")
    mutating func radioAndLink() {
        _ = hello(10, reading)
        _ = offered(10, reading)
        let heard = beacon(sequence: 10)
        #expect(listener.hear(heard) == [.changed(offer(heard))])
        #expect(withdrawn() == [])
        #expect(listener.book.lost(address: "a", at: listener.uptime) == [.disappeared("00000002-1122334455")])
    }

    @Test("A signal counts only if its beacon has the sequence number of the offer")
    mutating func signalOfTheOfferedSequence() {
        _ = listener.hear(beacon(sequence: 10), signal: -40)
        _ = hello(11, reading)
        _ = offered(11, reading, flags: [.hasWebpage])
        #expect(listener.book.offers.map(\.signal) == [nil])
        #expect(listener.book.heard(2).map(\.signal) == [nil])
        // A replay of the old beacon changes nothing.
        _ = listener.hear(beacon(sequence: 10), at: "replay", signal: -30)
        #expect(listener.book.offers.map(\.signal) == [nil])
        _ = listener.hear(beacon(sequence: 11, flags: [.hasWebpage]), signal: -60)
        #expect(listener.book.offers.map(\.signal) == [-50])
    }

    @Test("An offer over a link has no signal from a beacon of another activity")
    mutating func signalOfAnotherActivity() {
        _ = listener.hear(beacon(2, writing, sequence: 10), signal: -40)
        _ = hello(11, reading)
        _ = offered(11, reading)
        #expect(listener.book.offers.map(\.signal) == [nil])
        #expect(listener.book.offers.map(\.address) == [nil])
    }

    @Test("An offer over a link needs no dial, and names its activity")
    mutating func noDialForALinkedOffer() {
        let unnamed = ActivityHash([7, 7, 7, 7, 7], at: 0)
        _ = hello(10, unnamed)
        #expect(offered(10, unnamed) == [.appeared(linked(unnamed, 10, type: nil, flags: []))])
        #expect(listener.pass(600) == [])
    }

    @Test("Offers over more than eight links of a device are ignored")
    mutating func boundedLinks() {
        _ = hello(10, reading)
        for link in 0..<UInt64(9) { _ = offered(10, reading, over: link) }
        for link in 0..<UInt64(8) { _ = withdrawn(link) }
        #expect(listener.book.offers.isEmpty)
    }

    private func linked(
        _ activity: ActivityHash, _ sequence: UInt32, type: String? = "org.example.reading", title: String? = nil,
        flags: BeaconFlags = [.hasWebpage]
    ) -> Offer {
        var offer = offer(beacon(2, activity, sequence: sequence, flags: flags, psm: 0), type: type, signal: nil)
        (offer.address, offer.title) = (nil, title)
        return offer
    }

    private mutating func hello(_ sequence: UInt32, _ activity: ActivityHash?) -> [OfferBook.Event] {
        listener.book.hello(device: 2, sequence: sequence, activity: activity, at: listener.uptime)
    }

    private mutating func offered(
        _ sequence: UInt32, _ activity: ActivityHash, flags: BeaconFlags = [], title: String? = nil,
        over link: UInt64 = 1
    ) -> [OfferBook.Event] {
        let offer = LinkOffer(sequence: sequence, activity: activity.bytes, flags: flags, title: title)
        return listener.book.offered(offer, by: 2, over: link, at: listener.uptime)
    }

    private mutating func withdrawn(_ link: UInt64 = 1) -> [OfferBook.Event] {
        listener.book.offered(nil, by: 2, over: link, at: listener.uptime)
    }
}
