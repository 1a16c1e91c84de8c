// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

@Suite struct LineageTests {
    private let app = ClientID(":1.1")
    private let none: [String] = []

    @Test("An app's activity is the one that it is about to accept, or has just accepted, of that type")
    func adoption() {
        var lineage = Lineage()
        lineage.fetched("c", origin: [1], type: "t", from: "p", live: ["c"])
        #expect(lineage.origin(ofType: "t", by: app, pending: ["c"], at: .zero) == [1])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .zero) == nil)
        #expect(lineage.origin(ofType: "u", by: app, pending: ["c"], at: .zero) == nil)
        lineage.accepted("c", by: app, at: .seconds(10))
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(69)) == [1])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(70)) == nil)
        #expect(lineage.origin(ofType: "t", by: ClientID(":1.2"), pending: none, at: .seconds(11)) == nil)
        #expect(lineage.taken(from: "p") == [1])
        lineage.ended("p")
        #expect(lineage.taken(from: "p") == nil)
    }

    @Test("What an app is about to accept counts before what it has just accepted")
    func later() {
        var lineage = Lineage()
        lineage.fetched("c", origin: [1], type: "t", from: "p", live: ["c"])
        lineage.accepted("c", by: app, at: .zero)
        lineage.fetched("d", origin: [2], type: "t", from: "q", live: ["c", "d"])
        #expect(lineage.origin(ofType: "t", by: app, pending: ["d"], at: .seconds(1)) == [2])
        #expect(lineage.origin(ofType: "t", by: app, pending: none, at: .seconds(1)) == [1])
    }

    @Test("What was given away is known by its origin for ever, and by its place until that ends")
    func giving() {
        var lineage = Lineage()
        lineage.gave([1], to: "p")
        #expect(
            lineage.hasGiven([1]) && lineage.hasGiven(to: "p") && !lineage.hasGiven([2]) && !lineage.hasGiven(to: "q"))
        lineage.ended("p")
        #expect(lineage.hasGiven([1]) && !lineage.hasGiven(to: "p"))
    }

    @Test("What is remembered is limited, and the longest known goes first")
    func limits() {
        var lineage = Lineage()
        for number in 0...Lineage.maximum {
            let origin = [UInt8(number >> 8), UInt8(number & 255)]
            lineage.gave(origin, to: "\(number)")
            lineage.fetched("c\(number)", origin: origin, type: "t", from: "\(number)", live: ["c\(number)"])
            lineage.accepted("c\(number)", by: app, at: .zero)
        }
        #expect(!lineage.hasGiven([0, 0]) && lineage.hasGiven([0, 1]))
        #expect(!lineage.hasGiven(to: "0") && lineage.hasGiven(to: "1"))
        #expect(lineage.taken(from: "0") == nil && lineage.taken(from: "1") == [0, 1])
    }
}
