// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Foundation
import LocalDatagrams
import LocalNetworks
import Testing

@testable import BatonService

/// Tests when beacons are sent into local networks and which devices are dialled, without sockets.
@Suite struct LanBeaconsTests {
    private var beacons = LanBeacons()
    private var now = Duration.seconds(1_000)
    private let desk = DeviceIdentity().id
    private let sofa = DeviceIdentity().id
    private let place = KnownNetworks.Place(address: [192, 0, 2, 7], port: 21_740)

    init() { beacons.missingChanged(to: [desk, sofa], at: now) }

    private static func home(
        _ addresses: [[UInt8]] = [[192, 0, 2, 1]], router: UInt8 = 1, hasBroadcast: Bool = true, interface: UInt32 = 2
    ) -> LocalNetwork {
        LocalNetwork(
            interface: interface, name: "lan", hasBroadcast: hasBroadcast,
            addresses: addresses.map { .init(bytes: $0, prefixLength: $0.count == 4 ? 24 : 64) }, hasDefaultRoute: true,
            gateways: [.init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, router])])
    }

    private func joined(_ networks: [LocalNetwork]) -> [LanNetworks.Joined] {
        var lan = LanNetworks()
        lan.changed(to: networks, key: [UInt8](repeating: 0, count: 32), at: now)
        return lan.joined
    }

    private mutating func join(_ networks: LocalNetwork...) -> [LanBeacons.Action] {
        beacons.networksChanged(to: joined(networks), at: now)
    }

    private mutating func pass(_ seconds: Int64) -> [LanBeacons.Action] {
        now += .seconds(seconds)
        return beacons.timePassed(at: now)
    }

    /// Lets seconds pass, and returns in which of them beacons were sent.
    private mutating func sent(in seconds: Int64) -> [Int64] { (1...seconds).filter { _ in !pass(1).isEmpty } }

    private mutating func hear(
        _ device: DeviceID, at host: UInt8 = 7, isLinked: Bool = false, isOld: Bool = false, port: UInt16 = 21_740
    ) -> [LanBeacons.Action] {
        beacons.heard(device, at: place(host, port), in: 2, isLinked: isLinked, isOld: isOld, at: now)
    }

    private func place(_ host: UInt8, _ port: UInt16 = 21_740) -> KnownNetworks.Place {
        KnownNetworks.Place(address: [192, 0, 2, host], port: port)
    }

    private mutating func link(_ device: DeviceID) {
        beacons.linked(device, in: joined([Self.home()])[0], at: now)
        beacons.missingChanged(to: [desk, sofa].filter { $0 != device }.reduce(into: []) { $0.insert($1) }, at: now)
    }

    // MARK: - Sending

    @Test("When a network comes, a beacon is sent at once and after 1 and 4 s, the last one with hails to all")
    mutating func networkComes() {
        #expect(join(Self.home()) == [.send(2, .due)])
        #expect(beacons.deadline == now + .seconds(1))
        #expect(pass(1) == [.send(2, .due)])
        #expect(pass(2) == [])
        #expect(pass(1) == [.send(2, .all)])
        #expect(beacons.deadline == nil)
        #expect(sent(in: 1_000) == [])
    }

    @Test("A new address or router causes a round, but a lost address or the same network does not")
    mutating func addressComes() {
        let (one, two): ([UInt8], [UInt8]) = ([192, 0, 2, 1], [192, 0, 2, 2])
        _ = join(Self.home([one]))
        _ = sent(in: 10)
        #expect(join(Self.home([one])) == [])
        #expect(join(Self.home([one, two])) == [.send(2, .due)])
        _ = sent(in: 10)
        #expect(join(Self.home([two])) == [])
        #expect(join(Self.home([two], router: 2)) == [.send(2, .due)])
        _ = sent(in: 10)
        #expect(join() == [])
        #expect(join(Self.home([two], router: 2)) == [.send(2, .due)])
    }

    @Test("Nothing is sent into a network without broadcast, or whose router is not known yet")
    mutating func otherNetworks() {
        let unknown = LocalNetwork(
            interface: 5, name: "lan", hasBroadcast: true, addresses: [.init(bytes: [192, 0, 2, 1], prefixLength: 24)],
            hasDefaultRoute: true,
            gateways: [.init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: nil)])
        #expect(join(Self.home(hasBroadcast: false), unknown) == [])
        #expect(join(Self.home(interface: 5)) == [.send(5, .due)])
    }

    @Test("The repetitions end when no member is missing, so one laptop does not hide another from the rest")
    mutating func repetitionsEnd() {
        _ = join(Self.home())
        link(desk)
        #expect(sent(in: 10) == [1, 4], "the sofa may have lost the first one")
        _ = join()
        _ = join(Self.home())
        beacons.missingChanged(to: [], at: now)
        #expect(sent(in: 10) == [])
    }

    @Test("A network that appears while rounds are limited is announced later")
    mutating func announcedLater() {
        for number in 0..<8 {
            _ = join(Self.home([[192, 0, 2, UInt8(number)]]))
            _ = join()
        }
        #expect(join(Self.home(interface: 3)) == [])
        #expect(sent(in: 60).first == 60)
    }

    @Test("When a person looks for offers, the round does not wait behind a network that waits for the limit")
    mutating func lookedWhileLimited() {
        for number in 0..<8 {
            _ = join(Self.home([[192, 0, 2, UInt8(number)]]))
            _ = join()
        }
        #expect(join(Self.home(interface: 3)) == [])
        #expect(beacons.looked(at: now) == [.send(3, .due)])
        #expect(sent(in: 120) == [1, 4], "the network was announced by this round")
    }

    @Test("If several networks wait for the limit, one of them is announced in each minute")
    mutating func announcedInTurn() {
        for number in 0..<6 {
            _ = join(Self.home([[192, 0, 2, UInt8(number)]]))
            _ = join()
        }
        #expect(join(Self.home(), Self.home(interface: 3), Self.home(interface: 4), Self.home(interface: 5)).count == 2)
        #expect(beacons.deadline == now + .seconds(1))
        #expect(sent(in: 180) == [1, 4, 60, 61, 64, 120, 121, 124])
    }

    @Test("Nothing is sent while all other members are linked")
    mutating func allLinked() {
        beacons.missingChanged(to: [], at: now)
        #expect(join(Self.home()) == [])
        #expect(beacons.looked(at: now) == [])
        #expect(sent(in: 10) == [])
    }

    @Test("A router that gives new addresses again and again causes eight rounds, and then one in a minute")
    mutating func restlessRouter() {
        var count = 0
        for number in 0..<600 {
            count += join(Self.home([[192, 0, 2, UInt8(number % 250)]])).count { $0 == .send(2, .due) } > 0 ? 1 : 0
            _ = beacons.networksChanged(to: [], at: now)
            now += .seconds(1)
        }
        #expect(count == 17)
    }

    @Test("When a person looks for offers, a round is sent, at most once a minute")
    mutating func looks() {
        _ = join(Self.home())
        _ = sent(in: 100)
        #expect(beacons.looked(at: now) == [.send(2, .due)])
        #expect(sent(in: 59) == [1, 4])
        #expect(beacons.looked(at: now) == [])
        now += .seconds(1)
        #expect(beacons.looked(at: now) == [.send(2, .due)])
    }

    @Test("A new current activity sends datagrams only if a member that was linked here in the last day is missing")
    mutating func activity() {
        _ = join(Self.home())
        _ = sent(in: 100)
        #expect(beacons.activityBecameCurrent(at: now) == [], "nobody was met")
        link(desk)
        now += .seconds(200_000)
        #expect(beacons.activityBecameCurrent(at: now) == [], "the member is linked")
        beacons.missingChanged(to: [desk, sofa], at: now)
        now += .seconds(86_399)
        #expect(beacons.activityBecameCurrent(at: now) == [.send(2, .due)])
        _ = sent(in: 10)
        now += .seconds(1_000)
        #expect(beacons.activityBecameCurrent(at: now) == [], "more than a day ago")
    }

    @Test("Activities cause at most one round in five minutes, and none in a network where the member was not met")
    mutating func activities() {
        _ = join(Self.home())
        _ = sent(in: 10)
        link(desk)
        beacons.missingChanged(to: [desk, sofa], at: now)
        #expect(beacons.activityBecameCurrent(at: now) == [.send(2, .due)])
        #expect(sent(in: 299) == [1, 4])
        #expect(beacons.activityBecameCurrent(at: now) == [])
        now += .seconds(1)
        #expect(beacons.activityBecameCurrent(at: now) == [.send(2, .due)])
        _ = join(Self.home(router: 2))
        _ = sent(in: 1_000)
        #expect(beacons.activityBecameCurrent(at: now) == [])
    }

    // MARK: - Hearing

    @Test("Each copy from another address delays a dial by at most 200 s, and a device is dialled at most once in 3 s")
    mutating func copies() {
        for host: UInt8 in 7...9 {
            #expect(hear(desk, at: host) == [.dial(desk, place(host), 2)])
            #expect(hear(desk, at: host + 10) == [], "another address of the same device")
            now += .seconds(3)
        }
        #expect(hear(desk, at: 10) == [])
        now += .seconds(191)
        #expect(hear(desk, at: 10) == [.dial(desk, place(10), 2)])
    }

    @Test("A copy of yesterday's beacon, which opens at another time, does not delay the dial for a present beacon")
    mutating func oldCopies() {
        #expect(hear(desk, at: 8, isOld: true) == [.dial(desk, place(8), 2)])
        #expect(hear(desk, at: 9, isOld: true) == [])
        #expect(hear(desk) == [.dial(desk, place, 2)])
        now += .seconds(600)
        #expect(hear(desk, at: 9, isOld: true) == [.dial(desk, place(9), 2)])
    }

    @Test("The sender of a beacon is dialled once in ten minutes, whatever it sends")
    mutating func dials() {
        _ = join(Self.home())
        _ = sent(in: 10)
        #expect(hear(desk) == [.dial(desk, place, 2)])
        #expect(hear(desk) == [])
        now += LanBeacons.patience
        #expect(hear(desk) == [])
        #expect(hear(desk, port: 1) == [])
        #expect(hear(sofa) == [.dial(sofa, place, 2)], "the limit is that of each device")
        now += .seconds(600)
        #expect(hear(desk) == [.dial(desk, place, 2)])
    }

    @Test("A device that is linked at the address of its beacon is not dialled, nor is one without a port")
    mutating func needlessDials() {
        _ = join(Self.home())
        #expect(hear(desk, port: 0) == [])
        #expect(beacons.dialledCount == 0)
        #expect(hear(desk, isLinked: true) == [])
        #expect(hear(desk) == [], "another address of the linked device")
    }

    @Test("A device whose link has ended is dialled again at once")
    mutating func dialsAfterALink() {
        _ = join(Self.home())
        _ = sent(in: 10)
        _ = hear(desk)
        link(desk)
        #expect(hear(desk) == [])
        beacons.missingChanged(to: [desk, sofa], at: now)
        #expect(hear(desk) == [.dial(desk, place, 2)])
    }

    @Test("If a dial brings no link within 3 s, this device sends its beacon once, with a hail to the dialled device")
    mutating func unanswered() {
        _ = join(Self.home())
        _ = sent(in: 10)
        _ = hear(desk)
        #expect(beacons.deadline == now + .seconds(3))
        #expect(pass(2) == [])
        #expect(pass(1) == [.send(2, .also(desk))])
        #expect(sent(in: 1_000) == [])
    }

    @Test("If the dialled device is linked, this device sends nothing")
    mutating func answered() {
        _ = join(Self.home())
        _ = sent(in: 10)
        _ = hear(desk)
        link(desk)
        #expect(sent(in: 1_000) == [])
    }

    @Test("In a network in which it may not speak first, this device dials, but sends nothing")
    mutating func unknownNetwork() {
        #expect(hear(desk) == [.dial(desk, place, 2)])
        #expect(sent(in: 1_000) == [])
    }

    @Test("When a network ends, its planned datagrams are dropped")
    mutating func networkGoes() {
        _ = join(Self.home())
        _ = hear(desk)
        #expect(join() == [])
        #expect(beacons.deadline == nil)
    }

    @Test("A device that is no longer a member is forgotten")
    mutating func strangers() {
        _ = join(Self.home())
        _ = sent(in: 10)
        _ = hear(desk)
        beacons.keep { _ in false }
        #expect(beacons.dialledCount == 0)
        #expect(beacons.deadline == nil)
    }

    // MARK: - Networks

    private struct Vectors: Decodable {
        struct Network: Decodable {
            var name: String
            var gateway: String
            var address: String
            var prefixLength: Int
            var identity: String
        }
        var networks: [Network]
        var cable: String
    }

    @Test("The identities of networks are those of the vectors")
    func identities() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../Vectors/datagram.json").standardized
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        #expect(vectors.networks.count == 4)
        for vector in vectors.networks {
            let gateway = LocalNetwork.Gateway(
                address: bytes(vector.address), prefixLength: vector.prefixLength,
                linkLayerAddress: bytes(vector.gateway))
            let network = LocalNetwork(
                interface: 2, name: "lan", hasBroadcast: true, addresses: [], hasDefaultRoute: true, gateways: [gateway]
            )
            #expect(network.datagramIdentities == [bytes(vector.identity)], "\(vector.name)")
        }
        let cable = LocalNetwork(
            interface: 3, name: "cable", hasBroadcast: true,
            addresses: [.init(bytes: [169, 254, 1, 1], prefixLength: 16)], hasDefaultRoute: false, gateways: [])
        #expect(cable.datagramIdentities == [bytes(vectors.cable)])
    }

    @Test("A datagram is sealed for a gateway of its own IP version, if there is one")
    func families() {
        let router: [UInt8] = [2, 0, 0, 0, 0, 1]
        let v4 = LocalNetwork.Gateway(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: router)
        let address: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let v6 = LocalNetwork.Gateway(address: address, prefixLength: 64, linkLayerAddress: router)
        func network(_ gateways: LocalNetwork.Gateway...) -> LocalNetwork {
            LocalNetwork(
                interface: 2, name: "lan", hasBroadcast: true, addresses: [], hasDefaultRoute: true, gateways: gateways)
        }
        let both = network(v4, v6)
        #expect(both.datagramIdentity(for: .ipv4) == network(v4).datagramIdentities[0])
        #expect(both.datagramIdentity(for: .ipv6) == network(v6).datagramIdentities[0])
        #expect(network(v4).datagramIdentity(for: .ipv6) == network(v4).datagramIdentities[0])
        #expect(network().datagramIdentity(for: .ipv4) == nil)
    }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<($0 + 2)]), radix: 16) }
    }
}
