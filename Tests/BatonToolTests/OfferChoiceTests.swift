// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing
import UserInfoJSON

@testable import baton

/// Tests the choice among several offers, and how offers are printed.
@Suite struct OfferChoiceTests {
    private let offers = [OfferSummary].examples

    @Test("Offers are chosen by id, type and device")
    func offersAreChosen() throws {
        func select(_ offer: String?, _ type: String?, _ from: String?) -> [String]? {
            OfferChoice(offer: offer, type: type, from: from.map { CircleMember(device: $0, name: "n") })
                .select(offers)?.map(\.offer)
        }
        #expect(select(nil, "t", nil) == ["1", "2"])
        #expect(select(nil, "t", "bb") == ["2"])
        #expect(select(nil, nil, "bb") == ["2", "3"])
        #expect(select("3", nil, nil) == ["3"])
        let hexadecimal = OfferSummary(offer: "0a1b", device: "aa", deviceName: "desk")
        #expect(OfferChoice(offer: "0A1B", type: nil, from: nil).select([hexadecimal]) == [hexadecimal])
        #expect(select(nil, nil, nil) == ["1", "2", "3"])
        #expect(select(nil, "u", nil) == nil && select("9", nil, nil) == nil)
    }

    @Test("If there are several offers, the one that panels show is used, unless a type was given")
    func bestAmongSeveral() async throws {
        func one(_ type: String?, best: String?, typed: [String]? = nil) async throws -> String {
            try await OfferChoice(offer: nil, type: type, from: nil).one(
                of: offers, best: { best }, isTerminal: typed != nil,
                answers: {
                    AsyncStream { stream in
                        for line in typed ?? [] { stream.yield(line) }
                        stream.finish()
                    }
                }
            ).offer
        }
        #expect(try await one(nil, best: "2") == "2")
        for (type, best) in [("t", "2"), (nil, nil), (nil, "9")] {
            let error = await #expect(throws: ToolFailure.self) { try await one(type, best: best) }
            #expect(error?.status == .usage && error?.description.contains("3 offers fit") == true)
            #expect(error?.description.contains("1  desk  t; 2  sofa  t  -40 dBm  streams  T; 3  sofa") == true)
        }
        // On a terminal the user chooses.
        #expect(try await one(nil, best: "2", typed: ["0", "x", " 3 "]) == "3")
        #expect(try await one("t", best: nil, typed: ["1"]) == "1")
        let none = await #expect(throws: ToolFailure.self) { try await one(nil, best: "2", typed: ["4"]) }
        #expect(none?.status == .refused)
    }

    @Test("If no offer has the wanted type, offers of unknown type are named")
    func typeThatIsNotThere() {
        let unknown = OfferChoice(offer: nil, type: "u", from: nil).notFound(after: Seconds(0), among: offers)
        #expect(unknown.contains("3 (from sofa) is of a type that is not known yet"))
        let attic = CircleMember(device: "cc", name: "attic")
        let elsewhere = OfferChoice(offer: nil, type: "u", from: attic).notFound(after: Seconds(0), among: offers)
        #expect(!elsewhere.contains("not known yet") && elsewhere.hasPrefix("no offer of type u from attic was seen"))
    }

    @Test("The JSON of an offer has all keys, with null for unknown values")
    func keysAndNull() throws {
        #expect(
            try OfferText.node(offers[2]).text()
                == #"{"device":"bb","deviceName":"sofa","offer":"3","signal":null,"streams":false,"title":null,"type":null,"webpage":false}"#
        )
        #expect(try OfferText.node(.disappeared(offer: "3")).text() == #"{"event":"disappeared","offer":"3"}"#)
        #expect(OfferText.table(offers)[2] == "2      sofa    t          -40 dBm  streams  T")
    }

    @Test("The columns of a table are aligned also if a name has characters that take two columns")
    func wideNames() {
        let named = ["書斎のノート", "sofa"].map { OfferSummary(offer: "1", device: "aa", deviceName: $0, type: "t") }
        let rows = OfferText.table(named)
        #expect(rows[0].hasPrefix("OFFER  DEVICE        TYPE"))
        #expect(rows[1].hasPrefix("1      書斎のノート  t"))
        #expect(rows[2].hasPrefix("1      sofa          t"))
    }
}
