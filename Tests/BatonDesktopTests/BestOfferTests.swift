// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// Tests which offer a panel shows.
@Suite struct BestOfferTests {
    private var best = BestOffer()

    private mutating func choose(_ offers: (String, Bool, Int?)...) -> String? {
        best.choose(
            among: offers.map { offer, hasApp, signal in
                OfferSummary(
                    offer: offer, device: "bb", deviceName: "sofa", signal: signal, application: hasApp ? "a.b.C" : nil)
            })
    }

    @Test("Without offers there is no best offer")
    mutating func withoutOffersThereIsNone() { #expect(choose() == nil) }

    @Test("Offers for apps come before pages for the browser, and of these the strongest signal comes first")
    mutating func appThenStrongest() {
        #expect(choose(("far", true, -80), ("near", true, -50), ("page", false, -30)) == "near")
    }

    @Test("An unknown signal counts as the weakest")
    mutating func unknownSignalIsWeakest() {
        #expect(choose(("unknown", true, nil), ("far", true, -99)) == "far")
    }

    @Test("The shown offer stays until the signal of another is clearly stronger")
    mutating func shownStays() {
        #expect(choose(("a", true, -60), ("b", true, -61)) == "a")
        for strength in [-60, -53, -75, -53] { #expect(choose(("a", true, -60), ("b", true, strength)) == "a") }
        #expect(choose(("a", true, -60), ("b", true, -52)) == "b")
        #expect(choose(("a", true, -60), ("b", true, -60)) == "b")
    }

    @Test("A new offer is shown first unless its signal is clearly weaker, but only while it is new")
    mutating func newComesFirstOnce() {
        #expect(choose(("a", true, -60)) == "a")
        #expect(choose(("a", true, -60), ("b", true, -67)) == "b")
        #expect(choose(("a", true, -60), ("b", true, -67), ("c", true, -75)) == "b")
        // The offer is now as old as the others.
        #expect(choose(("a", true, -60), ("b", true, -67), ("c", true, -66)) == "b")
    }

    @Test("Among equal offers the latest is chosen")
    mutating func latestIsChosenAmongEquals() {
        #expect(choose(("z", true, -50)) == "z")
        #expect(choose(("z", true, -50), ("a", true, -70)) == "z")
        #expect(choose(("z", true, -50), ("a", true, -70), ("b", true, -70)) == "z")
        #expect(choose(("a", true, -70), ("b", true, -70)) == "b")
    }

    @Test("A withdrawn offer is replaced, and an offer for an installed app comes before a page for the browser")
    mutating func goneGivesWay() {
        #expect(choose(("page", false, -40)) == "page")
        #expect(choose(("page", false, -40), ("note", true, -90)) == "note")
        #expect(choose(("page", false, -40)) == "page")
        #expect(choose() == nil)
        #expect(best.current == nil)
    }
}
