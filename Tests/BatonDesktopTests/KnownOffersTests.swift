// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// ``KnownOffers`` by themselves.
struct KnownOffersTests {
    private var subject = KnownOffers()
    private var offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa")

    @Test("What was continued or shown stays so while the offer is of the same activity; no rule takes up another")
    mutating func otherActivity() {
        subject.appeared(offer, number: 1, isGivenAway: false)
        subject.continued("1")
        subject.declined("1")
        offer.title = "Poem"
        subject.appeared(offer, number: 1, isGivenAway: true)
        #expect(subject["1"]?.title == "Poem" && subject.isSettled("1") && subject.isGivenAway("1"))
        subject.appeared(offer, number: 2, isGivenAway: false)
        #expect(!subject.isSettled("1") && !subject.isGivenAway("1"))
        #expect(subject.isContinued("1") && subject.isDeclined("1"))
    }

    @Test("Of a device's offers the one that appeared last is the latest, whatever is told of the others")
    mutating func latest() {
        subject.appeared(offer, number: 1, isGivenAway: false)
        #expect(subject.isLatest("1") && !subject.isLatest("2"))
        offer.offer = "2"
        subject.appeared(offer, number: 1, isGivenAway: false)
        (offer.offer, offer.device) = ("3", "cc")
        subject.appeared(offer, number: 1, isGivenAway: false)
        (offer.offer, offer.device) = ("1", "bb")
        subject.appeared(offer, number: 2, isGivenAway: false)
        #expect(!subject.isLatest("1") && subject.isLatest("2") && subject.isLatest("3"))
        subject.withdrawn("2")
        #expect(subject.isLatest("1"))
    }

    @Test("All goes with the offer, and nothing brings it back but its appearing")
    mutating func withdrawn() {
        subject.appeared(offer, number: 1, isGivenAway: true)
        subject.continued("1")
        subject.declined("1")
        subject.withdrawn("1")
        subject.changed(offer)
        subject.continued("1")
        subject.declined("1")
        subject.settled("1")
        #expect(subject.identifiers.isEmpty && subject.summaries.isEmpty && subject["1"] == nil)
        subject.appeared(offer, number: 1, isGivenAway: false)
        #expect(!subject.isContinued("1") && !subject.isDeclined("1"))
        #expect(!subject.isSettled("1") && !subject.isGivenAway("1"))
    }
}
