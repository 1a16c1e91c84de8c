// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// A book that knows the devices 1 (its own), 2 and 3, and what it said last.
struct Listener {
    var book = OfferBook(own: 1)
    var uptime = Duration.seconds(1_000)

    init() { _ = book.membersChanged([1, 2, 3], at: uptime) }

    mutating func hear(
        _ beacon: Beacon, at address: String = "a", signal: Int? = -50, validFor: Duration = .seconds(1_200)
    ) -> [OfferBook.Event] {
        book.received(
            OpenedBeacon(beacon: beacon, epoch: 0, validFor: validFor), address: address, signal: signal, at: uptime)
    }

    mutating func pass(_ seconds: Int64) -> [OfferBook.Event] {
        uptime += .seconds(seconds)
        return book.timePassed(at: uptime)
    }
}

@Suite struct OfferBookTests {
    let reading: ActivityHash
    let writing: ActivityHash
    var listener = Listener()

    init() throws {
        reading = try #require(ActivityHash(bytes: [0x11, 0x22, 0x33, 0x44, 0x55]))
        writing = try #require(ActivityHash(bytes: [2, 2, 2, 2, 2]))
        _ = listener.book.learnt(types: [reading: ActivityKind(type: "org.example.reading")], at: listener.uptime)
    }

    func beacon(
        _ device: UInt32 = 2, _ activity: ActivityHash? = nil, sequence: UInt32 = 10, flags: BeaconFlags = [],
        psm: UInt8 = 0x80
    ) -> Beacon {
        Beacon(device: device, activity: activity ?? reading, flags: flags, sequence: sequence, psm: psm)
    }

    func offer(
        _ beacon: Beacon, type: String? = "org.example.reading", address: String = "a", signal: Int? = -50,
        since: UInt32? = nil
    ) -> Offer {
        Offer(
            device: beacon.device, activity: beacon.activity, team: type.map { _ in "" }, type: type, title: nil,
            hasWebPage: beacon.flags.contains(.hasWebPage), supportsStreams: beacon.flags.contains(.supportsStreams),
            signal: signal, address: address, psm: beacon.psm, sequence: beacon.sequence, since: since)
    }

    @Test("A beacon makes an offer, and the same again makes nothing")
    mutating func beaconMakesAnOffer() {
        let heard = beacon(0x0A, flags: [.hasWebPage, .supportsStreams])
        _ = listener.book.membersChanged([1, 0x0A], at: listener.uptime)
        #expect(listener.hear(heard) == [.appeared(offer(heard))])
        #expect(listener.book.offers.map(\.id) == ["0000000a-1122334455"])
        #expect(listener.hear(heard) == [])
    }

    @Test("A device's own beacons are ignored")
    mutating func ownBeaconsAreIgnored() {
        #expect(listener.hear(beacon(1)) == [])
        #expect(listener.book.heard(1) == [])
    }

    @Test("Beacons of strangers to the roster are ignored")
    mutating func strangersToTheRoster() {
        #expect(listener.hear(beacon(99)) == [])
    }

    @Test("Older sequences are ignored, and so are their addresses")
    mutating func olderSequencesAreIgnored() {
        let new = beacon(sequence: 11)
        _ = listener.hear(new)
        #expect(listener.hear(beacon(2, writing, sequence: 10), at: "b") == [])
        #expect(listener.book.offers == [offer(new)])
        #expect(listener.book.heard(2).map(\.address) == ["a"])
    }

    @Test("An equal sequence with other fields is ignored")
    mutating func equalSequence() {
        _ = listener.hear(beacon())
        #expect(listener.hear(beacon(2, writing)) == [])
        #expect(listener.hear(beacon(flags: [.ended])) == [])
        #expect(listener.book.offers == [offer(beacon())])
    }

    @Test("A newer sequence replaces the offer")
    mutating func newerSequence() {
        _ = listener.hear(beacon())
        let changed = beacon(sequence: 11, flags: [.hasWebPage])
        #expect(listener.hear(changed) == [.changed(offer(changed, since: 10))])
        let other = beacon(2, writing, sequence: 12)
        let events = listener.hear(other)
        #expect(
            events == [
                .disappeared("00000002-1122334455"), .appeared(offer(other, type: nil)),
                .dial(device: 2, address: "a", psm: 0x80),
            ])
        #expect(listener.book.offers.count == 1)
    }

    @Test("Sequences that are heard do not wrap")
    mutating func sequencesDoNotWrap() {
        _ = listener.hear(beacon(sequence: .max))
        #expect(listener.hear(beacon(2, writing, sequence: 0)) == [])
        #expect(listener.hear(beacon(2, writing, sequence: 1)) == [])
    }

    @Test("A sequence is forgotten 30 minutes after it was last heard")
    mutating func forgottenSequence() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(listener.pass(1_799) == [.disappeared("00000002-1122334455")])
        // An older one does not prolong the memory.
        #expect(listener.hear(beacon(sequence: 9)) == [])
        #expect(listener.pass(1) == [])
        #expect(listener.hear(beacon(sequence: 9)) == [.appeared(offer(beacon(sequence: 9)))])
    }

    @Test("A beacon that says ended withdraws the offer at once")
    mutating func endedWithdrawsAtOnce() {
        _ = listener.hear(beacon())
        #expect(listener.hear(beacon(sequence: 11, flags: [.ended])) == [.disappeared("00000002-1122334455")])
        // What was offered before the end does not come back by replay.
        #expect(listener.hear(beacon(sequence: 10), at: "replay") == [])
    }

    @Test("A lost address withdraws the offer unless another carries the device")
    mutating func lostAddress() {
        _ = listener.hear(beacon(), at: "a")
        _ = listener.hear(beacon(), at: "b")
        #expect(listener.book.lost(address: "nobody", at: listener.uptime) == [])
        #expect(
            listener.book.lost(address: "a", at: listener.uptime) == [.changed(offer(beacon(), address: "b"))])
        #expect(listener.book.lost(address: "b", at: listener.uptime) == [.disappeared("00000002-1122334455")])
        #expect(listener.hear(beacon(), at: "c") == [.appeared(offer(beacon(), address: "c"))])
    }

    @Test("An unconfirmed offer is withdrawn after 20 minutes")
    mutating func unconfirmedOffer() {
        _ = listener.hear(beacon(), validFor: .seconds(1_800))
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(1_200))
        _ = listener.pass(600)
        _ = listener.hear(beacon(), validFor: .seconds(1_800))
        #expect(listener.pass(1_199) == [])
        #expect(listener.pass(1) == [.disappeared("00000002-1122334455")])
        #expect(listener.book.nextDeadline == nil)
    }

    @Test("An offer does not outlive its bytes")
    mutating func offerDoesNotOutliveItsBytes() {
        _ = listener.hear(beacon(), validFor: .seconds(60))
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(60))
        #expect(listener.pass(60) == [.disappeared("00000002-1122334455")])
    }

    @Test("A sequence that nothing else accounts for is another activity's")
    mutating func unaccountedSequence() {
        func since(_ beacon: Beacon) -> UInt32? {
            _ = listener.hear(beacon)
            return listener.book.offers.first?.since
        }
        #expect(since(beacon(sequence: 10)) == 10)
        #expect(since(beacon(sequence: 11, flags: [.hasWebPage])) == 10)
        #expect(since(beacon(sequence: 12, flags: [.hasWebPage])) == 12)
        #expect(since(beacon(sequence: 12, flags: [.hasWebPage])) == 12)
        #expect(since(beacon(sequence: 13)) == 12)
        #expect(since(beacon(sequence: 14, flags: [.ended])) == nil)
        #expect(since(beacon(sequence: 15)) == 15)
    }

    @Test("An idle beacon makes no offer, but its device is reachable")
    mutating func idleButReachable() {
        #expect(listener.hear(beacon(2, ActivityHash.none, flags: [.idle]), at: "a") == [])
        #expect(listener.book.heard(2) == [HeardAt(address: "a", psm: 0x80, signal: -50)])
        #expect(listener.hear(beacon(3, ActivityHash.none), at: "b") == [])
    }

    @Test("A device without a PSM is not dialled")
    mutating func deviceWithoutPSMIsNotDialled() {
        let heard = beacon(2, writing, psm: 0)
        #expect(listener.hear(heard) == [.appeared(offer(heard, type: nil))])
        #expect(listener.book.heard(2) == [])
    }

    @Test("Dials that teach nothing become rare")
    mutating func vainDialsBecomeRare() {
        var dials: [Int] = []
        for second in 0..<3_600 {
            // However often it is replayed, and from wherever.
            let heard = beacon(2, writing, sequence: 10 + UInt32(second))
            let events = listener.hear(heard, at: "x\(second % 5)")
            if events.contains(where: { $0.isDial }) { dials.append(second) }
            if listener.pass(1).contains(where: { $0.isDial }) { dials.append(second + 1) }
        }
        #expect(dials == [0, 10, 30, 70, 150, 310, 630, 1_230, 1_830, 2_430, 3_030])
        #expect(listener.hear(beacon(3, writing), at: "c").contains(.dial(device: 3, address: "c", psm: 0x80)))
    }

    @Test("A second new type of a device is learnt soon")
    mutating func secondNewTypeIsLearntSoon() throws {
        _ = listener.hear(beacon(2, writing))
        _ = listener.book.learnt(types: [writing: ActivityKind(type: "w")], at: listener.uptime)
        _ = listener.pass(3)
        let drawing = try #require(ActivityHash(bytes: [7, 7, 7, 7, 7]))
        #expect(!listener.hear(beacon(2, drawing, sequence: 11)).contains { $0.isDial })
        // Nothing more needs to be heard for it.
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(7))
        #expect(listener.pass(7) == [.dial(device: 2, address: "a", psm: 0x80)])
        #expect(listener.book.nextDeadline == listener.uptime + .seconds(10))
    }

    @Test("A failed dial to learn a type is repeated")
    mutating func failedDialToLearnIsRepeated() {
        _ = listener.hear(beacon(2, writing))
        #expect(listener.pass(9) == [])
        #expect(listener.pass(1) == [.dial(device: 2, address: "a", psm: 0x80)])
        _ = listener.book.learnt(types: [writing: ActivityKind(type: "w")], at: listener.uptime)
        #expect(listener.pass(100) == [])
    }

    @Test("A learnt type changes the offer")
    mutating func learntTypeChangesTheOffer() {
        let heard = beacon(2, writing)
        _ = listener.hear(heard)
        #expect(
            listener.book.learnt(
                types: [writing: ActivityKind(type: "w"), ActivityHash.none: ActivityKind(type: "x")],
                at: listener.uptime)
                == [.changed(offer(heard, type: "w"))])
        #expect(
            listener.hear(beacon(3, writing), at: "b") == [
                .appeared(offer(beacon(3, writing), type: "w", address: "b"))
            ])
    }

    @Test("Types are bounded in length and number")
    mutating func boundedTypes() throws {
        let long = String(repeating: "x", count: 256)
        _ = listener.hear(beacon(2, writing))
        #expect(listener.book.learnt(types: [writing: ActivityKind(type: long)], at: listener.uptime) == [])
        for number in 0..<UInt32(1_024) {
            let bytes = [9] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            _ = listener.book.learnt(
                types: [try #require(ActivityHash(bytes: bytes)): ActivityKind(type: "t")], at: listener.uptime)
        }
        #expect(listener.hear(beacon(3)).first == .appeared(offer(beacon(3), type: nil)))
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
        #expect(listener.hear(beacon(sequence: 12)).last == .appeared(offer(beacon(sequence: 12))))
        listener.book = book
        #expect(learn(String(repeating: "x", count: 1_025), of: beacon()) == [])
    }

    @Test("The title of an activity that has ended is not that of the next of its type")
    mutating func titleOfEndedActivity() {
        _ = listener.hear(beacon(sequence: 10))
        #expect(learn("Bank", of: beacon(sequence: 10)).count == 1)
        // The end was not heard.
        #expect(listener.hear(beacon(sequence: 12)) == [.changed(offer(beacon(sequence: 12)))])
        // An answer that comes after it.
        #expect(learn("Bank", of: beacon(sequence: 10)) == [])
        #expect(learn("Poem", of: beacon(sequence: 12)).count == 1)
        _ = listener.book.hello(device: 2, sequence: 14, activity: reading, at: listener.uptime)
        #expect(listener.book.offers.map(\.title) == [nil])
    }

    private mutating func learn(_ title: String, of beacon: Beacon) -> [OfferBook.Event] {
        listener.book.learnt(title: title, of: offer(beacon), at: listener.uptime)
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
        for device in UInt32(2)...500 { _ = listener.hear(beacon(device), at: "a\(device)") }
        #expect(listener.book.offers.count == 128)
    }

    @Test("Small changes of signal are not told")
    mutating func smallSignalChanges() {
        _ = listener.hear(beacon(), signal: -50)
        _ = listener.pass(2)
        #expect(listener.hear(beacon(), signal: -58) == [])
        #expect(listener.hear(beacon(), signal: nil) == [])
        #expect(listener.hear(beacon(), signal: -56) == [.changed(offer(beacon(), signal: -55))])
        // However strongly it trembles, once a second is enough.
        #expect(listener.hear(beacon(), signal: -90) == [])
        _ = listener.pass(1)
        #expect(listener.hear(beacon(), signal: -90) == [.changed(offer(beacon(), signal: -81))])
        #expect(listener.hear(beacon(), signal: .min) == [])
    }

    @Test("A signal is smoothed: one report out of line is not told; what lasts is; a silence begins anew")
    mutating func smoothedSignal() {
        _ = listener.hear(beacon(), signal: -60)
        for report in [-52, -68, -56, -64] {
            _ = listener.pass(1)
            #expect(listener.hear(beacon(), signal: report) == [])
        }
        var told: [Int] = []
        for _ in 0..<6 {
            _ = listener.pass(1)
            for case .changed(let offer) in listener.hear(beacon(), signal: -40) { told.append(offer.signal ?? 0) }
        }
        #expect(told.count >= 2 && told.sorted() == told && (-44 ... -40).contains(told.last ?? 0))
        _ = listener.pass(5)
        #expect(listener.hear(beacon(), signal: -80) == [.changed(offer(beacon(), signal: -80))])
        _ = listener.pass(5)
        #expect(listener.hear(beacon(), signal: .max) == [.changed(offer(beacon(), signal: 20))])
    }

    /// Else who replays a beacon close by would have the true device's address taken for near.
    @Test("The signal is told with the address that carries it", arguments: [-42, -90])
    mutating func signalOfItsAddress(_ strength: Int) {
        _ = listener.hear(beacon(), at: "replay", signal: -40)
        _ = listener.hear(beacon(), at: "true", signal: strength)
        #expect(
            listener.book.lost(address: "replay", at: listener.uptime)
                == [.changed(offer(beacon(), address: "true", signal: strength))])
    }

    @Test("A replay elsewhere does not take the address in use")
    mutating func replayElsewhere() {
        _ = listener.hear(beacon(), at: "true")
        for round in 0..<50 {
            _ = listener.pass(1)
            _ = listener.hear(beacon(), at: "replay\(round)")
            _ = listener.hear(beacon(), at: "true")
        }
        #expect(listener.book.offers.map(\.address) == ["true"])
        #expect(listener.book.heard(2).count == 8)
        #expect(listener.book.heard(2).first?.address == "true")
    }

    @Test("A silent address gives way to one that is heard")
    mutating func silentAddressGivesWay() {
        _ = listener.hear(beacon(), at: "old")
        _ = listener.pass(9)
        #expect(listener.hear(beacon(), at: "new") == [])
        _ = listener.pass(1)
        #expect(listener.hear(beacon(), at: "new") == [.changed(offer(beacon(), address: "new"))])
    }

    @Test("The events that are told always add up to the offers")
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
            case 3: events = listener.book.learnt(types: [writing: ActivityKind(type: "w")], at: listener.uptime)
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
                case .dial(let device, _, let psm): #expect(device != 1 && psm != 0)
                }
            }
            #expect(listener.book.offers == told.values.sorted { $0.id < $1.id })
            #expect(Set(told.values.map(\.device)).count == told.count)
        }
    }
}

extension OfferBook.Event {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
}
