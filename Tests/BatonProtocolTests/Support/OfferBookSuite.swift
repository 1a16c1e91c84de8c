// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol

/// An offer book with a clock.
///
/// The book knows the devices 1 (its own), 2 and 3. Devices 2 and 3 have named two activities, and
/// the type of one of them.
struct OfferBookListener {
    var book = OfferBook(own: 1)
    var uptime = Duration.seconds(1_000)

    init() {
        _ = book.membersChanged([1, 2, 3], at: uptime)
        _ = book.learnt(ownTypes: [.reading], at: uptime)
        for device: UInt32 in [2, 3] { _ = meet(device, naming: [.reading, .writing]) }
    }

    /// Reports a type that a device has named.
    mutating func learn(_ activity: ActivityHash, _ type: String, from device: UInt32 = 2) -> [OfferBook.Event] {
        book.learnt(types: [.init(activity: activity, kind: ActivityKind(type: type))], from: device, at: uptime)
    }

    /// Reports a device's hellos without types, over a link that then ends.
    mutating func meet(_ device: UInt32, naming activities: [ActivityHash]) -> [OfferBook.Event] {
        (activities + [nil]).flatMap { book.hello(device: device, sequence: 0, activity: $0, at: uptime) }
            + book.linkEnded(to: device, at: uptime)
    }

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

/// Tests of the offers that a listener derives from beacons.
protocol OfferBookSuite {
    var listener: OfferBookListener { get set }
}

extension OfferBookSuite {
    /// The activity whose type the listener knows.
    var reading: ActivityHash { .reading }
    /// An activity whose type the listener does not know.
    var writing: ActivityHash { .writing }

    func beacon(
        _ device: UInt32 = 2, _ activity: ActivityHash = .reading, sequence: UInt32 = 10, flags: BeaconFlags = [],
        psm: UInt8 = 0x80
    ) -> Beacon {
        Beacon(device: device, activity: activity, flags: flags, sequence: sequence, psm: psm)
    }

    func offer(
        _ beacon: Beacon, type: String? = "org.example.reading", address: String = "a", signal: Int? = -50,
        since: UInt32? = nil
    ) -> Offer {
        Offer(
            device: beacon.device, activity: beacon.activity, team: type.map { _ in "" }, type: type, title: nil,
            hasWebpage: beacon.flags.contains(.hasWebpage), supportsStreams: beacon.flags.contains(.supportsStreams),
            signal: signal, address: address, psm: beacon.psm, sequence: beacon.sequence, since: since)
    }
}

extension OfferBook.TypeEntry {
    /// The type of the activity that the listener knows.
    static let reading = Self(activity: .reading, kind: ActivityKind(type: "org.example.reading"))
}

extension ActivityHash {
    fileprivate static let reading = ActivityHash([0x11, 0x22, 0x33, 0x44, 0x55], at: 0)
    fileprivate static let writing = ActivityHash([2, 2, 2, 2, 2], at: 0)
}
