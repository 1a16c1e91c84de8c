// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import LocalNetworks
import Testing

@testable import BatonService

/// Tests links over local networks, without sockets.
@Suite struct LanLinksTests {
    private var lan = LanLinks()
    private var known = KnownNetworks()
    private var now = Duration.seconds(1_000)
    private let desk = DeviceIdentity().id
    private let sofa = DeviceIdentity().id
    private let own: [UInt8] = [192, 0, 2, 1]
    private let other: [UInt8] = [192, 0, 2, 7]

    private static func home(
        _ address: [UInt8] = [192, 0, 2, 1], router: UInt8 = 1, isFound: Bool = true, interface: UInt32 = 2
    ) -> LocalNetwork {
        LocalNetwork(
            interface: interface, name: "lan", hasBroadcast: true,
            addresses: [.init(bytes: address, prefixLength: 24)], hasDefaultRoute: true,
            gateways: [
                .init(
                    address: [192, 0, 2, 254], prefixLength: 24,
                    linkLayerAddress: isFound ? [2, 0, 0, 0, 0, router] : nil)
            ])
    }

    private static let cable = LocalNetwork(
        interface: 3, name: "cable", hasBroadcast: true, addresses: [.init(bytes: [169, 254, 1, 1], prefixLength: 16)],
        hasDefaultRoute: false, gateways: [])

    private func place(_ address: [UInt8], _ port: UInt16 = 21_740) -> KnownNetworks.Place {
        KnownNetworks.Place(address: address, port: port)
    }

    /// Makes this device know the network at home, and a member in it.
    private mutating func meet(_ device: DeviceID, at address: [UInt8]? = nil, router: UInt8 = 1) {
        var networks = LanNetworks()
        networks.changed(to: [Self.home(router: router)], key: known.key, at: now)
        known.met(device, at: [place(address ?? other)], in: networks.joined[0].identities[0], unixTime: 0)
    }

    private mutating func join(_ networks: LocalNetwork...) -> [LanLinks.Action] {
        lan.networksChanged(to: networks, known, at: now)
    }

    private mutating func open(_ link: UInt64, to device: DeviceID, at remote: [UInt8]? = nil) {
        lan.opened(link, to: device, from: own, to: remote ?? other, known, at: now)
    }

    private mutating func pass(_ seconds: Int64) -> [LanLinks.Action] {
        now += .seconds(seconds)
        return lan.timePassed(known, at: now)
    }

    @Test("When a known network appears, this device dials only the members that it has met there")
    mutating func networkComes() {
        meet(desk)
        meet(sofa, router: 2)
        #expect(join(Self.home()) == [.dial(desk)])
        #expect(lan.networks.places(known, at: now) == [desk: [place(other)]])
    }

    @Test("No member is dialled in a network with another router, or while the router is not known yet")
    mutating func otherNetwork() {
        meet(desk)
        #expect(join(Self.home(router: 9)) == [])
        #expect(join(Self.home(isFound: false)) == [])
        #expect(join(Self.home()) == [.dial(desk)])
    }

    @Test("A network stays known even if another of its routers is found first")
    mutating func twoRouters() {
        meet(desk)
        let other = LocalNetwork.Gateway(
            address: [192, 0, 2, 253], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, 9])
        let home = Self.home()
        let network = LocalNetwork(
            interface: 2, name: "lan", hasBroadcast: true, addresses: home.addresses, hasDefaultRoute: true,
            gateways: [other] + home.gateways)
        #expect(join(network) == [.dial(desk)])
        let joined = lan.networks.joined[0]
        #expect(lan.networks.identity(of: joined, known, at: now) == joined.identities.last)
    }

    @Test("A member that does not answer is dialled four times, and then only after something has changed")
    mutating func pauses() {
        meet(desk)
        _ = join(Self.home())
        var dials: [Int64] = []
        for second in 1...2_000 where pass(1) == [.dial(desk)] { dials.append(Int64(second)) }
        #expect(dials == [4, 20, 60])
        #expect(lan.deadline(at: now) == nil)
        #expect(join(Self.home([192, 0, 2, 2])) == [.dial(desk)])
    }

    @Test("The deadline is the time of the next dial to a member that has not answered")
    mutating func deadlines() {
        meet(desk)
        _ = join(Self.home())
        #expect(lan.deadline(at: now) == now + .seconds(4))
    }

    @Test("Twelve addresses are dialled at once, and then one in 5 s")
    mutating func limitedDials() {
        for number in 1...16 { meet(DeviceIdentity().id, at: [192, 0, 2, UInt8(100 + number)]) }
        #expect(join(Self.home()).count == 12)
        #expect(lan.deadline(at: now) == now + .seconds(5))
        now += .seconds(5)
        #expect(lan.timePassed(known, at: now).count == 1)
        var count = 13
        for _ in 0..<60 { count += pass(1).count }
        #expect(count == 25)
    }

    @Test("A linked member is not dialled")
    mutating func linkedMember() {
        meet(desk)
        _ = join(Self.home([192, 0, 2, 9]))
        _ = join(Self.home())
        open(1, to: desk)
        #expect(pass(700) == [])
        #expect(lan.searchCount == 0)
    }

    @Test("A member whose link was lost is dialled again at once, and one whose link ended by Goodbye is not")
    mutating func lostLink() {
        meet(desk)
        _ = join(Self.home())
        open(1, to: desk)
        _ = pass(700)
        #expect(lan.ended(1, isLost: false, known, at: now) == [])
        open(2, to: desk)
        #expect(lan.ended(2, isLost: true, known, at: now) == [.dial(desk)])
    }

    @Test("A member that opens and closes links endlessly is dialled four times in ten minutes")
    mutating func restlessMember() {
        meet(desk)
        var dials = join(Self.home()).count
        for link in 0..<UInt64(600) {
            open(link, to: desk)
            dials += lan.ended(link, isLost: true, known, at: now).count + pass(1).count
        }
        #expect(dials == 4)
    }

    @Test("A link is kept in a known network, and when a network becomes known, the peer is told that the link is kept")
    mutating func keptLinks() {
        _ = join(Self.home())
        #expect(!lan.keeps(from: own, to: other, known, at: now))
        open(1, to: desk)
        let remembered = lan.told([place(other)], over: 1, known, at: now)
        guard case .remember(desk, [place(other)], let identity)? = remembered.first else {
            Issue.record("\(remembered)")
            return
        }
        known.met(desk, at: [place(other)], in: identity, unixTime: 0)
        #expect(lan.timePassed(known, at: now) == [.keep(1, true)])
        #expect(lan.timePassed(known, at: now) == [])
        #expect(lan.keeps(from: own, to: other, known, at: now))
    }

    @Test("A link through a router, from another address or within this computer is not kept")
    mutating func linksElsewhere() {
        meet(desk)
        _ = join(Self.home())
        let ends: [(local: [UInt8], remote: [UInt8])] = [
            (own, [198, 51, 100, 1]), ([10, 0, 0, 1], [10, 0, 0, 2]), ([127, 0, 0, 1], [127, 0, 0, 1]),
        ]
        for (local, remote) in ends {
            #expect(!lan.keeps(from: local, to: remote, known, at: now))
            lan.opened(1, to: desk, from: local, to: remote, known, at: now)
        }
        #expect(lan.count == 0)
    }

    @Test("After a device has moved, only its new link tells the device's address")
    mutating func movedDevice() {
        let moved: [UInt8] = [192, 0, 2, 11]
        _ = join(Self.home())
        // The service chooses the numbers of links at random.
        open(2, to: desk)
        _ = lan.told([place(other)], over: 2, known, at: now)
        meet(desk, at: moved)
        open(1, to: desk, at: moved)
        _ = lan.told([place(moved)], over: 1, known, at: now)
        #expect(pass(60) == [])
    }

    @Test("At most three addresses are remembered, only from the network itself, and none of this device's own")
    mutating func hostileAddresses() {
        meet(sofa)
        _ = join(Self.home())
        open(1, to: desk)
        let told = [
            [127, 0, 0, 1], own, [198, 51, 100, 1], [192, 0, 2, 8], other, [192, 0, 2, 9], [192, 0, 2, 10],
        ]
        let actions = lan.told(told.map { place($0) }, over: 1, known, at: now)
        #expect(
            actions.contains {
                if case .remember(_, let places, _) = $0 {
                    places.map(\.address) == [other, [192, 0, 2, 8], [192, 0, 2, 9]]
                } else {
                    false
                }
            })
    }

    @Test("Stored addresses that now belong to this device are not dialled")
    mutating func ownAddress() {
        meet(desk)
        #expect(join(Self.home(other)) == [])
    }

    @Test("Links are closed when their address or their network is gone")
    mutating func addressGoes() {
        meet(desk)
        _ = join(Self.home())
        open(1, to: desk)
        #expect(join(Self.home([192, 0, 2, 2])) == [.close(1), .dial(desk)])
        #expect(lan.count == 0)
        #expect(lan.ended(1, isLost: true, known, at: now) == [])
        lan.opened(2, to: desk, from: [192, 0, 2, 2], to: other, known, at: now)
        #expect(join() == [.close(2)])
        #expect(lan.ended(2, isLost: true, known, at: now) == [])
    }

    @Test("When it is muted, this device says goodbye, and then dials no member and keeps no link")
    mutating func muted() {
        meet(desk)
        _ = join(Self.home())
        open(1, to: desk)
        #expect(lan.mute(true, known, at: now) == [.drain(1)])
        #expect(lan.ended(1, isLost: false, known, at: now) == [])
        #expect(join(Self.home([192, 0, 2, 2])) == [])
        #expect(pass(700) == [])
        #expect(!lan.keeps(from: own, to: other, known, at: now))
        #expect(lan.mute(false, known, at: now) == [.dial(desk)])
    }

    @Test("An activity that becomes current makes this device dial if it has no link")
    mutating func activityBecomesCurrent() {
        meet(desk)
        meet(sofa, at: [192, 0, 2, 8])
        _ = join(Self.home())
        _ = pass(4)
        #expect(lan.activityBecameCurrent(known, at: now) == [], "the members are being dialled")
        for _ in 0..<800 { _ = pass(1) }
        #expect(Set(lan.activityBecameCurrent(known, at: now)) == [.dial(desk), .dial(sofa)])
        for _ in 0..<800 { _ = pass(1) }
        open(1, to: desk)
        #expect(lan.activityBecameCurrent(known, at: now) == [])
    }

    @Test("With lan = off no member is dialled, nothing is remembered and no link is kept")
    mutating func off() {
        meet(desk)
        _ = lan.use(.off, known, at: now)
        #expect(join(Self.home()) == [])
        open(1, to: desk)
        #expect(lan.told([place([192, 0, 2, 9])], over: 1, known, at: now) == [])
        #expect(lan.use(.known, known, at: now).contains(.keep(1, true)))
        #expect(lan.use(.off, known, at: now) == [.keep(1, false)])
    }

    @Test("With lan = always a link is kept in every network, even before its router is known")
    mutating func always() {
        _ = lan.use(.always, known, at: now)
        _ = join(Self.home(isFound: false))
        #expect(lan.keeps(from: own, to: other, known, at: now))
    }

    @Test("A network with only link-local addresses counts as a cable after 45 s, and all cables are one network")
    mutating func cable() {
        let (here, there): ([UInt8], [UInt8]) = ([169, 254, 1, 1], [169, 254, 1, 2])
        _ = join(Self.cable)
        lan.opened(1, to: desk, from: here, to: there, known, at: now)
        #expect(lan.told([place(there)], over: 1, known, at: now) == [])
        #expect(lan.deadline(at: now) == now + .seconds(45))
        #expect(pass(44) == [])
        let actions = pass(1)
        #expect(actions.first == .keep(1, true))
        guard case .remember(desk, let places, let identity)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        known.met(desk, at: places, in: identity, unixTime: 0)
        _ = join()
        _ = lan.ended(1, isLost: true, known, at: now)
        #expect(join(Self.cable) == [])
        #expect(pass(44) == [])
        #expect(pass(1) == [.dial(desk)])
    }

    @Test("Only networks that can be recognised can be made known")
    mutating func unknownNetworks() {
        meet(desk)
        _ = join(
            Self.home(), Self.home([192, 0, 2, 3], router: 8, interface: 4), Self.home(isFound: false, interface: 5),
            Self.cable)
        #expect(lan.networks.unknown(known, at: now).map(\.network.interface) == [4])
    }

    @Test("A member that leaves the circle is no longer dialled")
    mutating func leavingMember() {
        meet(desk)
        _ = join(Self.home())
        lan.keep { _ in false }
        #expect(lan.searchCount == 0)
    }
}

extension ServiceTests.PeerLane {
    /// The search for members in a local network, with a service.
    struct LanSearchTests {
        @Test("When an activity becomes current after a search was given up, this device searches again")
        func activityBecomesCurrent() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.service.enterNetwork(knowing: berta.identityID)
                #expect(await anna.service.counts["lanSearches"] == 1)
                while await anna.service.counts["lanSearches"] != 0 {
                    clock.advance(by: .seconds(600))
                    await anna.service.lanTimePassed()
                }
                try await anna.publish("note")
                #expect(await anna.service.counts["lanSearches"] == 1)
            }
        }
    }
}

extension HandoffService {
    /// Enters a local network in which a member was met.
    fileprivate func enterNetwork(knowing device: DeviceID) throws {
        networksChanged([
            LocalNetwork(
                interface: 2, name: "lan", hasBroadcast: true,
                addresses: [.init(bytes: [192, 0, 2, 1], prefixLength: 24)], hasDefaultRoute: true,
                gateways: [
                    .init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, 1])
                ])
        ])
        let identity = try #require(lan.networks.joined.first?.identities.first)
        let place = KnownNetworks.Place(address: [192, 0, 2, 7], port: 21_740)
        try store.update { $0.networks.met(device, at: [place], in: identity, unixTime: clock.unixTime) }
        lanTimePassed()
    }
}
