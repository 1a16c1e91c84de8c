// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// Tests ``KnownOffers`` alone.
struct KnownOffersTests {
    private var subject = KnownOffers()
    private var offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa")

    @Test("An offer counts as continued or shown while it has the same activity")
    mutating func otherActivity() {
        appeared()
        subject.settled("1")
        offer.title = "Poem"
        appeared(isFromHere: true)
        #expect(subject["1"]?.title == "Poem" && subject.isSettled("1"))
        #expect(subject.activity(of: "1")?.isFromHere == true)
        appeared(number: 2)
        #expect(!subject.isSettled("1") && subject.activity(of: "1")?.isFromHere == false)
    }

    @Test("A device's latest offer is the one that appeared last, even if the other offers change")
    mutating func latest() {
        appeared()
        #expect(subject.isLatest("1") && !subject.isLatest("2"))
        offer.offer = "2"
        appeared()
        (offer.offer, offer.device) = ("3", "cc")
        appeared()
        (offer.offer, offer.device) = ("1", "bb")
        appeared(number: 2)
        #expect(!subject.isLatest("1") && subject.isLatest("2") && subject.isLatest("3"))
        subject.withdrawn("2")
        #expect(subject.isLatest("1"))
    }

    @Test("Everything about an offer is dropped with it, and only a new appearance brings the offer back")
    mutating func withdrawn() {
        appeared(isFromHere: true)
        subject.settled("1")
        subject.withdrawn("1")
        subject.changed(offer)
        subject.settled("1")
        #expect(subject.summaries.isEmpty && subject["1"] == nil)
        appeared()
        #expect(!subject.isSettled("1") && subject.activity(of: "1")?.isFromHere == false)
    }

    private mutating func appeared(number: UInt32 = 1, isFromHere: Bool = false) {
        subject.appeared(offer, of: OfferedActivity(isFromHere: isFromHere, number: number, account: offer.device))
    }
}
