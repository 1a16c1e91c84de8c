// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import LocalNetworks

/// Tests which networks a survey reports, and when.
@Suite struct NetworkSurveyTests {
    private static let gateway: [UInt8] = [192, 0, 2, 1]
    private static let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    private static let router: [UInt8] = [2, 0, 0, 0, 0, 1]
    private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

    /// A laptop on a Wi-Fi network.
    private static func laptop() -> FakeKernel {
        var kernel = FakeKernel()
        kernel.links = [
            FakeKernel.link(1, "lo", type: 772, flags: 0x1 | 0x8 | 0x40), FakeKernel.link(3, "wlan0", device: true),
        ]
        kernel.addresses = [
            FakeKernel.address(1, [127, 0, 0, 1], 8), FakeKernel.address(3, [192, 0, 2, 7], 24),
        ]
        kernel.routes = [FakeKernel.route(3, via: gateway)]
        kernel.neighbours = [gateway: FakeKernel.neighbour(3, gateway, router)]
        return kernel
    }

    /// Returns the networks of a survey's last report.
    private func told(_ kernel: FakeKernel) -> [LocalNetwork]? {
        var (kernel, survey) = (kernel, NetworkSurvey())
        return last(kernel.answer(&survey, survey.begin(port: FakeKernel.port)))
    }

    private func last(_ actions: [NetworkSurvey.Action]) -> [LocalNetwork]? {
        actions.compactMap { if case .tell(let networks) = $0 { networks } else { nil } }.last
    }

    private static let change = FakeKernel.message(FakeKernel.newRoute, port: 0, [])

    @Test("A network has its addresses, its gateway and the gateway's link-layer address")
    func network() throws {
        let network = try #require(told(Self.laptop())?.first)
        #expect(network.name == "wlan0" && network.interface == 3 && network.hasBroadcast)
        #expect(network.addresses == [.init(bytes: [192, 0, 2, 7], prefixLength: 24)])
        #expect(network.gateways.map(\.address) == [Self.gateway])
        #expect(network.gateways.map(\.linkLayerAddress) == [Self.router])
        #expect(network.gateways.map(\.prefixLength) == [24])
        #expect(network.contains([192, 0, 2, 200]) && !network.contains([192, 0, 3, 200]))
        #expect(!network.isLinkLocalOnly)
    }

    @Test("Loopback does not count as a network, nor does an interface that is down or has no carrier or no address")
    func nothing() {
        for flags: UInt32 in [0x2 | 0x40, 0x1 | 0x2, 0x1 | 0x2 | 0x8 | 0x40] {
            var kernel = Self.laptop()
            kernel.links[1] = FakeKernel.link(3, "wlan0", flags: flags, device: true)
            #expect(told(kernel) == [], "\(flags)")
        }
        var kernel = Self.laptop()
        kernel.addresses.removeLast()
        #expect(told(kernel) == [])
        kernel.addresses = [FakeKernel.address(3, Self.linkLocal, 64, flags: 0x40)]
        #expect(told(kernel) == [], "IPv6 still checks it")
        kernel.addresses = [FakeKernel.address(3, Self.linkLocal, 64)]
        #expect(told(kernel)?.count == 1)
    }

    @Test("Mobile networks, tunnels and bridges of containers are not local networks")
    func virtual() {
        for link in [
            FakeKernel.link(3, "wwan0", type: 519, device: true), FakeKernel.link(3, "tun0", type: 65_534, kind: "tun"),
            FakeKernel.link(3, "tap0", kind: "tun"), FakeKernel.link(3, "docker0", kind: "bridge"),
            FakeKernel.link(3, "vxlan0", kind: "vxlan", lower: 2),
            FakeKernel.link(3, "veth0", kind: "veth", elsewhere: true),
        ] {
            var kernel = Self.laptop()
            kernel.links = [
                FakeKernel.link(2, "eth0", device: true), link,
                FakeKernel.link(4, "veth1", kind: "veth", master: 3, elsewhere: true),
            ]
            #expect(told(kernel) == [])
        }
    }

    @Test("A bridge, a bond or a VLAN is a network if one of its interfaces is hardware")
    func hardware() {
        var kernel = Self.laptop()
        let eth0 = FakeKernel.link(2, "eth0", device: true, master: 3)
        for kind in ["bridge", "bond", "team"] {
            kernel.links = [eth0, FakeKernel.link(3, "one", kind: kind)]
            #expect(told(kernel)?.map(\.name) == ["one"], "\(kind)")
        }
        kernel.links = [
            eth0, FakeKernel.link(4, "br0.7", kind: "vlan", lower: 5), FakeKernel.link(5, "br0", kind: "bridge"),
            FakeKernel.link(3, "bond0", kind: "bond", master: 5),
        ]
        kernel.addresses = [FakeKernel.address(4, [192, 0, 2, 7], 24)]
        #expect(told(kernel)?.map(\.name) == ["br0.7"])
        kernel.links = [
            FakeKernel.link(4, "ring0", kind: "vlan", lower: 5), FakeKernel.link(5, "ring1", kind: "vlan", lower: 4),
        ]
        #expect(told(kernel) == [])
    }

    @Test("In a container without hardware interfaces, the container's end of a veth pair is the network card")
    func container() {
        var kernel = Self.laptop()
        kernel.links = [FakeKernel.link(3, "eth0", kind: "veth", lower: 9, elsewhere: true)]
        #expect(told(kernel)?.map(\.name) == ["eth0"])
        kernel.links = [FakeKernel.link(3, "veth0", kind: "veth", lower: 9)]
        #expect(told(kernel) == [], "both ends are here")
    }

    @Test("Only a route in the main table that leads everywhere and refuses nothing counts as a default route")
    func defaultRoutes() {
        for route in [
            FakeKernel.route(3, via: Self.gateway, prefixLength: 1),
            FakeKernel.route(3, via: Self.gateway, table: 51_820),
            FakeKernel.route(3, via: Self.gateway, type: 7), FakeKernel.route(4, via: Self.gateway),
        ] {
            var kernel = Self.laptop()
            kernel.routes = [route]
            #expect(told(kernel)?.map(\.hasDefaultRoute) == [false])
        }
        var kernel = Self.laptop()
        kernel.routes = [FakeKernel.route(3, via: nil)]
        #expect(told(kernel)?.map(\.hasDefaultRoute) == [true])
        #expect(told(kernel)?.first?.gateways == [])
    }

    @Test("IPv4 gateways come before IPv6 ones, within a family the kernel's choice is first, and at most four count")
    func gateways() {
        var kernel = Self.laptop()
        kernel.routes = [
            FakeKernel.route(3, via: Self.linkLocal, metric: 1), FakeKernel.route(3, via: [192, 0, 2, 3], metric: 600),
            FakeKernel.route(3, via: [192, 0, 2, 2], metric: 600), FakeKernel.route(3, via: Self.gateway),
            FakeKernel.route(3, via: Self.gateway, metric: 700),
        ]
        #expect(
            told(kernel)?.first?.gateways.map(\.address)
                == [Self.gateway, [192, 0, 2, 2], [192, 0, 2, 3], Self.linkLocal])
        kernel.routes = (1...99).map { FakeKernel.route(3, via: [192, 0, 2, $0]) }
        #expect(told(kernel)?.first?.gateways.count == NetworkTable.maximumGateways)
    }

    @Test("A route with several next hops leads through all of their gateways")
    func severalWays() {
        func hop(_ gateway: [UInt8]) -> [UInt8] {
            let attribute = FakeKernel.attribute(5, gateway)
            return FakeKernel.bytes(UInt16(8 + attribute.count)) + [0, 0] + FakeKernel.bytes(UInt32(3)) + attribute
        }
        let head: [UInt8] = [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
        var kernel = Self.laptop()
        kernel.routes = [head + FakeKernel.attribute(9, hop(Self.gateway) + hop([192, 0, 2, 2]))]
        #expect(told(kernel)?.first?.gateways.map(\.address) == [Self.gateway, [192, 0, 2, 2]])
        for length: UInt8 in [0, 7, 200] {
            var wrong = hop(Self.gateway)
            wrong[0] = length
            kernel.routes = [head + FakeKernel.attribute(9, wrong)]
            #expect(told(kernel)?.first?.gateways == [], "\(length)")
        }
    }

    @Test("A link with only link-local addresses and no route out is a cable")
    func cable() throws {
        var kernel = Self.laptop()
        kernel.routes = []
        kernel.addresses = [FakeKernel.address(3, Self.linkLocal, 64), FakeKernel.address(3, [169, 254, 7, 7], 16)]
        let cable = try #require(told(kernel)?.first)
        #expect(cable.isLinkLocalOnly && cable.identities(key: Self.key).isEmpty)
        kernel.routes = [FakeKernel.route(3, via: nil)]
        #expect(told(kernel)?.first?.isLinkLocalOnly == false)
        kernel.routes = []
        kernel.addresses.append(FakeKernel.address(3, [10, 0, 0, 7], 24))
        #expect(told(kernel)?.first?.isLinkLocalOnly == false)
    }

    @Test("The survey waits for a gateway's link-layer address only while it is unknown")
    func waitsForTheGateway() {
        var (kernel, survey) = (Self.laptop(), NetworkSurvey())
        let entry = kernel.neighbours.removeValue(forKey: Self.gateway)
        let actions = kernel.answer(&survey, survey.begin(port: FakeKernel.port))
        // The survey asks for the address again, because the kernel may have found it before the
        // survey heard of changes.
        #expect(actions.filter { $0 == .hearNeighbours(true) }.count == 1 && kernel.asked.count == 8)
        #expect(last(actions)?.first?.gateways.map(\.linkLayerAddress) == [nil])
        // Changes of other hosts, and of a gateway that does not answer, have no effect.
        for other in [
            FakeKernel.neighbour(3, [192, 0, 2, 9], Self.router), FakeKernel.neighbour(4, Self.gateway, Self.router),
            FakeKernel.neighbour(3, Self.gateway, Self.router, state: 0x20),
        ] {
            #expect(survey.handle(FakeKernel.message(FakeKernel.newNeighbour, port: 0, other)) == [])
        }
        kernel.neighbours[Self.gateway] = entry
        let found = survey.handle(FakeKernel.message(FakeKernel.newNeighbour, port: 0, entry ?? []))
        let then = kernel.answer(&survey, found)
        #expect(then.first == .hearNeighbours(false))
        #expect(last(then)?.first?.gateways.map(\.linkLayerAddress) == [Self.router])
    }

    @Test("The survey remembers a gateway that the kernel forgets until the carrier changes")
    func remembersTheGateway() {
        var (kernel, survey) = (Self.laptop(), NetworkSurvey())
        _ = kernel.answer(&survey, survey.begin(port: FakeKernel.port))
        kernel.neighbours = [:]
        for _ in 0..<2 {
            let actions = kernel.answer(&survey, survey.handle(Self.change))
            #expect(last(actions)?.first?.gateways.map(\.linkLayerAddress) == [Self.router])
        }
        // The gateway is remembered even after the survey has begun with a new socket.
        let again = kernel.answer(&survey, survey.begin(port: FakeKernel.port))
        #expect(last(again)?.first?.gateways.map(\.linkLayerAddress) == [Self.router])
        kernel.links[1] = FakeKernel.link(3, "wlan0", device: true, carrierChanges: 3)
        let gone = kernel.answer(&survey, survey.handle(Self.change))
        #expect(last(gone)?.first?.gateways.map(\.linkLayerAddress) == [nil])
    }

    @Test("Tables that change during a reading are read again before the report")
    func disturbed() {
        var (kernel, survey) = (Self.laptop(), NetworkSurvey())
        var changes = 1
        let actions = kernel.answer(&survey, survey.begin(port: FakeKernel.port)) {
            defer { changes -= 1 }
            return changes > 0 ? Self.change : nil
        }
        #expect(actions.count == 1 && kernel.asked.count == 8)
    }

    @Test("Tables that keep changing are still reported from time to time")
    func disturbedWithoutEnd() {
        var (kernel, survey) = (Self.laptop(), NetworkSurvey())
        var left = 4 * (NetworkSurvey.maximumDisturbedRounds + 1)
        let actions = kernel.answer(&survey, survey.begin(port: FakeKernel.port)) {
            defer { left -= 1 }
            return left > 0 ? Self.change : nil
        }
        // Changes during the last round are reported, too.
        #expect(actions.count == 2)
    }

    @Test("An interrupted table is read again")
    func interrupted() {
        var (kernel, survey) = (Self.laptop(), NetworkSurvey())
        #expect(survey.begin(port: FakeKernel.port).count == 1)
        let interrupted = FakeKernel.message(3, sequence: 1, flags: 0x10, FakeKernel.bytes(UInt32(0)))
        let actions = kernel.answer(&survey, survey.handle(interrupted))
        #expect(last(actions)?.map(\.name) == ["wlan0"])
    }

    @Test("Answers to another socket or to older requests are ignored")
    func answersOfOthers() {
        var survey = NetworkSurvey()
        _ = survey.begin(port: FakeKernel.port)
        let done = FakeKernel.bytes(UInt32(0))
        #expect(survey.handle(FakeKernel.message(3, sequence: 1, port: 1, done)) == [])
        #expect(survey.handle(FakeKernel.message(3, sequence: 7, done)) == [])
        #expect(survey.handle(FakeKernel.message(3, sequence: 1, done)).count == 1)
    }

    @Test("The survey begins again if the kernel refuses a table or a datagram has wrong lengths")
    func refused() {
        for datagram in [
            FakeKernel.message(2, sequence: 1, FakeKernel.bytes(Int32(-16))),
            FakeKernel.message(3, sequence: 1, FakeKernel.bytes(Int32(-4))), [1, 2, 3],
            [UInt8](repeating: 0, count: 16),
        ] {
            var survey = NetworkSurvey()
            _ = survey.begin(port: FakeKernel.port)
            #expect(survey.handle(datagram) == [.beginAgain])
        }
    }

    @Test("The numbers of interfaces and addresses are limited")
    func limits() {
        var kernel = Self.laptop()
        kernel.links += (4..<2_000).map { FakeKernel.link($0, "eth\($0)", device: true) }
        kernel.addresses =
            (4..<2_000).map { FakeKernel.address($0, [10, 0, 0, 1], 24) }
            + (0..<200).map { FakeKernel.address(3, [10, 1, 0, $0], 24) }
        let networks = told(kernel)
        #expect(networks?.count == NetworkTable.maximumInterfaces - 1)
        #expect(networks?.first?.addresses.count == NetworkTable.maximumAddresses)
    }
}
