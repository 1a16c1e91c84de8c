// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

/// Which offer a panel shows.
@Suite struct BestOfferTests {
    private var best = BestOffer()

    private mutating func choose(_ offers: (String, Bool, Int?)...) -> String? {
        best.choose(among: offers.map { .init(offer: $0.0, hasApp: $0.1, signal: $0.2) })
    }

    @Test mutating func withoutOffersThereIsNone() { #expect(choose() == nil) }

    @Test mutating func appComesBeforeTheBrowserAndThenTheStrongest() {
        #expect(choose(("far", true, -80), ("near", true, -50), ("page", false, -30)) == "near")
    }

    @Test mutating func unknownSignalCountsAsTheWeakest() {
        #expect(choose(("unknown", true, nil), ("far", true, -99)) == "far")
    }

    @Test mutating func whatIsShownStaysUntilAnotherIsClearlyStronger() {
        #expect(choose(("a", true, -60), ("b", true, -61)) == "a")
        for strength in [-60, -53, -75, -53] { #expect(choose(("a", true, -60), ("b", true, strength)) == "a") }
        #expect(choose(("a", true, -60), ("b", true, -52)) == "b")
        #expect(choose(("a", true, -60), ("b", true, -60)) == "b")
    }

    @Test mutating func whatIsNewComesFirstUnlessItIsClearlyWeakerAndOnlyOnce() {
        #expect(choose(("a", true, -60)) == "a")
        #expect(choose(("a", true, -60), ("b", true, -67)) == "b")
        #expect(choose(("a", true, -60), ("b", true, -67), ("c", true, -75)) == "b")
        // By now it is as old as the others.
        #expect(choose(("a", true, -60), ("b", true, -67), ("c", true, -66)) == "b")
    }

    @Test mutating func latestIsChosenAmongEquals() {
        #expect(choose(("z", true, -50)) == "z")
        #expect(choose(("z", true, -50), ("a", true, -70)) == "z")
        #expect(choose(("z", true, -50), ("a", true, -70), ("b", true, -70)) == "z")
        #expect(choose(("a", true, -70), ("b", true, -70)) == "b")
    }

    @Test mutating func whatGoesGivesWayAndAnAppThatIsInstalledComesBeforeTheBrowser() {
        #expect(choose(("page", false, -40)) == "page")
        #expect(choose(("page", false, -40), ("note", true, -90)) == "note")
        #expect(choose(("page", false, -40)) == "page")
        #expect(choose() == nil)
        #expect(best.current == nil)
    }
}
