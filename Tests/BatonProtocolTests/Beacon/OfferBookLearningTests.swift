// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests how types and titles of offers are learned by dialling.
@Suite struct OfferBookLearningTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("Dials that learn nothing become rare")
    mutating func vainDialsBecomeRare() {
        var dials: [Int] = []
        for second in 0..<3_600 {
            // Even a forged beacon each second from changing addresses causes no more dials.
            let heard = beacon(2, writing, sequence: 10 + UInt32(second))
            let events = listener.hear(heard, at: "x\(second % 5)")
            if events.contains(where: { $0.isDial }) { dials.append(second) }
            if listener.pass(1).contains(where: { $0.isDial }) { dials.append(second + 1) }
        }
        #expect(dials == [0, 10, 30, 70, 150, 310, 630, 1_230, 1_830, 2_430, 3_030])
        #expect(listener.hear(beacon(3, writing), at: "c").contains(.dial(device: 3, address: "c", psm: 0x80)))
    }

    @Test("A device's second new type is learned soon")
    mutating func secondNewTypeIsLearntSoon() throws {
        _ = listener.hear(beacon(2, writing))
        _ = listener.learn(writing, "w")
        _ = listener.pass(3)
        let drawing = try #require(ActivityHash(bytes: [7, 7, 7, 7, 7]))
        #expect(!listener.hear(beacon(2, drawing, sequence: 11)).contains { $0.isDial })
        // The next dial needs no further beacon.
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(7))
        #expect(listener.pass(7) == [.dial(device: 2, address: "a", psm: 0x80)])
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(10))
    }

    @Test("A failed dial to learn a type is repeated")
    mutating func failedDialToLearnIsRepeated() {
        _ = listener.hear(beacon(2, writing))
        #expect(listener.pass(9) == [])
        #expect(listener.pass(1) == [.dial(device: 2, address: "a", psm: 0x80)])
        _ = listener.learn(writing, "w")
        #expect(listener.pass(100) == [])
    }

    @Test("Learning a type changes the offer")
    mutating func learntTypeChangesTheOffer() {
        let heard = beacon(2, writing)
        _ = listener.hear(heard)
        #expect(listener.learn(ActivityHash.none, "x") == [])
        #expect(listener.learn(writing, "w") == [.changed(offer(heard, type: "w"))])
        #expect(
            listener.hear(beacon(3, writing), at: "b") == [
                .appeared(offer(beacon(3, writing), type: "w", address: "b"))
            ])
    }

    @Test("Types are limited in length and number, and the device with the most types loses its oldest")
    mutating func boundedTypes() throws {
        let long = String(repeating: "x", count: 256)
        _ = listener.hear(beacon(2, writing))
        #expect(listener.learn(writing, long) == [])
        for number in 0..<1_025 { _ = listener.learn(try hash(number), "t") }
        #expect(listener.book.kind(of: try hash(0), from: 2) == nil)
        #expect(listener.book.kind(of: try hash(1), from: 2) == ActivityKind(type: "t"))
        #expect(listener.hear(beacon(3)).first == .appeared(offer(beacon(3))))
    }

    @Test("A member that repeatedly names 5 × 256 types does not displace the types of others' offers or of apps here")
    mutating func floodOfTypes() throws {
        let drawing = try hash(-1)
        _ = listener.book.learnt(
            ownTypes: [.reading, .init(activity: drawing, kind: ActivityKind(type: "d"))], at: listener.uptime)
        _ = listener.learn(writing, "w", from: 3)
        for _ in 0..<2 {
            for first in stride(from: 0, to: 5 * 256, by: 256) {
                _ = listener.book.learnt(
                    types: try (first..<first + 256).map {
                        .init(activity: try hash($0), kind: ActivityKind(type: "t\($0)"))
                    }, from: 2, at: listener.uptime)
            }
            // Types on offer and other types stay known.
            #expect(listener.book.kind(of: writing, from: 3) == ActivityKind(type: "w"))
            #expect(listener.book.kind(of: drawing, from: 3) == ActivityKind(type: "d"))
            _ = listener.hear(beacon(3, writing))
        }
        #expect(listener.book.offers.map(\.type) == ["w"])
    }

    @Test("The type of a present offer stays known, even if its device has named many other types since")
    mutating func typeOnOffer() throws {
        _ = listener.hear(beacon(2, writing))
        _ = listener.learn(writing, "w")
        for number in 0..<1_100 { _ = listener.learn(try hash(number), "t") }
        _ = listener.hear(beacon(2, writing, sequence: 11))
        #expect(listener.book.offers.map(\.type) == ["w"])
        // After the offer has ended, the type is forgotten.
        _ = listener.hear(beacon(2, reading, sequence: 12))
        #expect(listener.book.kind(of: writing, from: 2) == nil)
    }

    @Test("The first types of a hello are kept the longest, and naming a type again renews it")
    mutating func firstTypesStay() throws {
        let table = try (0..<256).map {
            OfferBook.TypeEntry(activity: try hash($0), kind: ActivityKind(type: "t"))
        }
        _ = listener.book.learnt(types: table, from: 2, at: listener.uptime)
        for number in 256..<1_200 { _ = listener.learn(try hash(number), "t") }
        #expect(listener.book.kind(of: try hash(0), from: 2) != nil)
        #expect(listener.book.kind(of: try hash(255), from: 2) == nil)
        _ = listener.learn(try hash(0), "t")
        for number in 1_200..<1_300 { _ = listener.learn(try hash(number), "t") }
        #expect(listener.book.kind(of: try hash(0), from: 2) != nil)
        #expect(listener.book.kind(of: try hash(1), from: 2) == nil)
    }

    @Test("The types that a removed device named are forgotten, and those that other devices named stay")
    mutating func removedDeviceTakesItsTypes() throws {
        _ = listener.learn(writing, "w")
        let drawing = try hash(-1)
        for device: UInt32 in 2...3 { _ = listener.learn(drawing, "d", from: device) }
        _ = listener.book.membersChanged([1, 3], at: listener.uptime)
        #expect(listener.book.kind(of: writing, from: 3) == nil)
        #expect(listener.book.kind(of: drawing, from: 3) == ActivityKind(type: "d"))
        #expect(listener.learn(writing, "w") == [])
        #expect(listener.book.kind(of: writing, from: 3) == nil, "it is no member")
    }

    @Test("The type of an app that was removed here is remembered, because another laptop may still offer it")
    mutating func formerOwnType() {
        _ = listener.book.learnt(
            ownTypes: [.init(activity: writing, kind: ActivityKind(type: "w"))], at: listener.uptime)
        _ = listener.book.learnt(ownTypes: [], at: listener.uptime)
        #expect(listener.book.kind(of: writing, from: 2) == ActivityKind(type: "w"))
    }

    private func hash(_ number: Int) throws -> ActivityHash {
        try #require(ActivityHash(bytes: [9] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }))
    }

    @Test("A title belongs to one activity of one device")
    mutating func titleOfOneActivity() {
        _ = listener.hear(beacon())
        var titled = offer(beacon())
        titled.title = "Chapter 3"
        let book = listener.book
        #expect(learn("Chapter 3", of: beacon()) == [.changed(titled)])
        #expect(learn("no", of: beacon(2, writing)) == [])
        #expect(learn("no", of: beacon(3)) == [])
        _ = listener.hear(beacon(2, writing, sequence: 11))
        #expect(listener.hear(beacon(sequence: 12)).first == .appeared(offer(beacon(sequence: 12))))
        listener.book = book
        #expect(learn(String(repeating: "x", count: 1_025), of: beacon()) == [])
    }

    @Test("The title of an ended activity does not become the title of the next one of its type")
    mutating func titleOfEndedActivity() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(learn("Bank", of: beacon(sequence: 10)).count == 1)
        // The beacon that ends the activity was not received.
        #expect(listener.hear(beacon(sequence: 12)) == [.changed(offer(beacon(sequence: 12)))])
        // The answer arrives after the next activity.
        #expect(learn("Bank", of: beacon(sequence: 10)) == [])
        #expect(learn("Poem", of: beacon(sequence: 12)).count == 1)
        _ = listener.book.hello(device: 2, sequence: 14, activity: reading, at: listener.uptime)
        #expect(listener.book.offers.map(\.title) == [nil])
    }

    private mutating func learn(_ title: String, of beacon: Beacon) -> [OfferBook.Event] {
        listener.book.learnt(title: title, of: offer(beacon), at: listener.uptime)
    }
}

extension OfferBook.Event {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
}
