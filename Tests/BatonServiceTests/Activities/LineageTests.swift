// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

@Suite struct LineageTests {
    private let app = ClientID(rawValue: ":1.1")
    private let none: [String] = []

    /// Returns the offer of a device. All of these offers have the same contents.
    private func offer(_ device: UInt32, since: UInt32 = 1) -> Offer {
        Offer(
            device: device, activity: .none, team: nil, type: nil, title: nil, hasWebpage: false,
            supportsStreams: false, signal: nil, address: "", psm: 0x80, sequence: since)
    }

    @Test("A new activity gets the origin of the activity of its type that its app is accepting or just accepted")
    func adoption() {
        var lineage = Lineage()
        lineage.fetched("c", origin: [1], type: "t", from: offer(1), live: ["c"])
        #expect(lineage.origin(ofType: "t", by: app, pending: ["c"], at: .zero) == [1])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .zero) == nil)
        #expect(lineage.origin(ofType: "u", by: app, pending: ["c"], at: .zero) == nil)
        lineage.accepted("c", by: app, at: .seconds(10))
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(69)) == [1])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(70)) == nil)
        #expect(lineage.origin(ofType: "t", by: ClientID(rawValue: ":1.2"), pending: none, at: .seconds(11)) == nil)
        #expect(lineage.taken(offer(1)) == [1])
        lineage.ended(offer(1).id)
        #expect(lineage.taken(offer(1)) == nil)
    }

    @Test("The activity that an app is about to accept takes precedence over the one that it has just accepted")
    func later() {
        var lineage = Lineage()
        lineage.fetched("c", origin: [1], type: "t", from: offer(1), live: ["c"])
        lineage.accepted("c", by: app, at: .zero)
        lineage.fetched("d", origin: [2], type: "t", from: offer(2), live: ["c", "d"])
        #expect(lineage.origin(ofType: "t", by: app, pending: ["d"], at: .seconds(1)) == [2])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(1)) == [1])
    }

    @Test(
        "An activity that was given away is always recognised by its origin, and by its place while the place offers it"
    )
    func giving() {
        var lineage = Lineage()
        lineage.gave([1], to: offer(1).id, at: .zero)
        #expect(lineage.hasGiven([1]) && !lineage.hasGiven([2]))
        lineage.offered(offer(1), at: .zero)
        lineage.offered(offer(2), at: .zero)
        #expect(lineage.hasGiven(offer(1)) && !lineage.hasGiven(offer(2)))
        lineage.ended(offer(1).id)
        #expect(lineage.hasGiven([1]) && !lineage.hasGiven(offer(1)))
    }

    @Test(
        "A place's offer counts as the activity that was given to it only while the place may still publish that activity"
    )
    func otherActivities() {
        var lineage = Lineage()
        lineage.gave([1], to: offer(1).id, at: .zero)
        // Offers from before and after the hand-over.
        for since: UInt32 in [1, 2] {
            lineage.offered(offer(1, since: since), at: .seconds(69))
            #expect(lineage.hasGiven(offer(1, since: since)))
        }
        lineage.offered(offer(1, since: 3), at: .seconds(70))
        #expect(!lineage.hasGiven(offer(1, since: 3)) && lineage.hasGiven(offer(1, since: 2)))
        // The same app hands its activity over once more.
        lineage.gave([1], to: offer(1).id, at: .seconds(80))
        lineage.offered(offer(1, since: 3), at: .seconds(80))
        #expect(lineage.hasGiven(offer(1, since: 3)))
        // An activity that was taken over from the place belongs to it as well.
        lineage.fetched("c", origin: [2], type: "t", from: offer(2), live: ["c"])
        lineage.accepted("c", by: app, at: .zero)
        #expect(lineage.taken(offer(2)) == [2] && lineage.taken(offer(2, since: 2)) == nil)
    }

    @Test("The number of remembered entries is limited, and the oldest are dropped first")
    func limits() {
        var lineage = Lineage()
        for number in 0...Lineage.maximum {
            let origin = [UInt8(number >> 8), UInt8(number & 255)]
            let offer = offer(UInt32(number))
            lineage.gave(origin, to: offer.id, at: .zero)
            lineage.offered(offer, at: .zero)
            lineage.fetched("c\(number)", origin: origin, type: "t", from: offer, live: ["c\(number)"])
            lineage.accepted("c\(number)", by: app, at: .zero)
        }
        #expect(!lineage.hasGiven([0, 0]) && lineage.hasGiven([0, 1]))
        #expect(!lineage.hasGiven(offer(0)) && lineage.hasGiven(offer(1)))
        #expect(lineage.taken(offer(0)) == nil && lineage.taken(offer(1)) == [0, 1])
    }
}
