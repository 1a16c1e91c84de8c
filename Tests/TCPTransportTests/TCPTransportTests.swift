// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Foundation
import Glibc
import HostAddresses
import NIOCore
import Synchronization
import Testing

@testable import TCPTransport

@Suite(.timeLimit(.minutes(5)))
struct TCPTransportTests {
    private static let nothing: ChannelInitializer = { $0.eventLoop.makeSucceededVoidFuture() }

    @Test(
        "Only one host's numeric address and a port are dialled",
        arguments: [
            ("", 80), ("localhost", 80), ("example.org", 80), ("0.0.0.0", 80), ("::", 80), ("224.0.0.1", 80),
            ("255.255.255.255", 80), ("ff02::1", 80), ("::ffff:0.0.0.0", 80), ("::ffff:224.0.0.1", 80),
            ("127.0.0.1", 0),
            ("127.0.0.1\0", 80), ("1.2.3.4%lo", 80), ("::1%", 80), ("::1%no-such-interface", 80), ("::1%1%2", 80),
            ("127.1", 80), (String(repeating: "1", count: 100_000), 80),
        ])
    func hostileEndpointsAreRefused(_ address: String, _ port: Int) async throws {
        let error = await #expect(throws: TransportError.self) {
            _ = try await TCPTransport(sharesMachine: true).connect(
                to: Endpoint(transport: .tcp, address: address, port: UInt16(port)), timeout: .seconds(5),
                initializer: Self.nothing)
        }
        #expect(error?.code == .invalidArgument)
        #expect((error?.description.utf8.count ?? 0) < 200)
    }

    @Test(
        "An endpoint is shown with brackets only around an IPv6 address",
        arguments: [
            (TransportKind.tcp, "192.0.2.7", "tcp:192.0.2.7:4711"), (.tcp, "::1", "tcp:[::1]:4711"),
            (.tcp, "fe80::1%eth0", "tcp:[fe80::1%eth0]:4711"),
            (.l2cap, "C0:FF:EE:00:00:01/public", "l2cap:C0:FF:EE:00:00:01/public:4711"),
        ])
    func endpointsAreShownAsTheyAreTyped(transport: TransportKind, address: String, text: String) {
        #expect(Endpoint(transport: transport, address: address, port: 4711).description == text)
    }

    @Test("An endpoint of another transport is refused")
    func foreignEndpointIsRefused() async throws {
        let error = await #expect(throws: TransportError.self) {
            _ = try await TCPTransport(sharesMachine: true).connect(
                to: Endpoint(transport: .l2cap, address: "127.0.0.1", port: 80), timeout: .seconds(5),
                initializer: Self.nothing)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("Bytes wait until the peer's kernel has acknowledged them, even if the peer's app has not read them")
    func delivery() async throws {
        let accepted = AsyncStream.makeStream(of: (any Channel).self)
        let transport = TCPTransport(sharesMachine: true)
        let listener = try await transport.listen { channel, _ in
            accepted.continuation.yield(channel)
            return channel.setOption(.autoRead, value: false)
        }
        let endpoint = try #require(await listener.endpoints().first { $0.address == "127.0.0.1" })
        let dialled = try await transport.connect(to: endpoint, timeout: .seconds(10), initializer: Self.nothing)
        try await dialled.writeAndFlush(ByteBuffer(bytes: [1, 2, 3]))
        try await eventually("the kernel has acknowledged them") {
            try await transport.delivery(on: dialled).get()?.isWaiting == false
        }
        let delivery = try #require(try await transport.delivery(on: dialled).get())
        #expect(delivery.patience >= .seconds(1) && delivery.silence < .seconds(60))
        try await dialled.close()
        #expect(try await transport.delivery(on: dialled).get() == nil)
        await listener.close()
    }

    @Test(
        "A connection may be silent for a second, or for four round trips if that is longer",
        arguments: [(UInt32(0), 1_000), (250_000, 1_000), (400_000, 1_600)])
    func patience(roundTrip: UInt32, milliseconds: Int) {
        var info = info(silentFor: 700)
        (info.basic.tcpi_rtt, info.basic.tcpi_unacked) = (roundTrip, 1)
        let delivery = ChannelDelivery(info)
        #expect(delivery.patience == .milliseconds(milliseconds))
        #expect(delivery.isWaiting && delivery.silence == .milliseconds(700))
        info.basic.tcpi_unacked = 0
        #expect(!ChannelDelivery(info).isWaiting)
    }

    /// Returns the state of a connection with nothing to send, whose peer has room.
    private func info(silentFor silence: UInt32) -> TCPInfo {
        var info = TCPInfo()
        (info.basic.tcpi_last_ack_recv, info.basic.tcpi_snd_mss, info.peerWindow) = (silence, 1_448, 64_000)
        return info
    }

    @Test(
        "Bytes that this machine cannot send wait in silence, whether or not the kernel probes",
        arguments: [(UInt8(1), UInt8(0)), (1, 1), (2, 2), (0, 0)])
    func unsent(probes: UInt8, backoff: UInt8) {
        var info = info(silentFor: 1_500)
        (info.basic.tcpi_probes, info.basic.tcpi_backoff, info.unsent) = (probes, backoff, 100)
        let expected = ChannelDelivery(isWaiting: true, silence: .milliseconds(1_500), patience: .seconds(1))
        #expect(ChannelDelivery(info) == expected)
    }

    @Test("Probes without an answer count as silence, and probes that a full buffer answers do not")
    func probes() {
        var info = info(silentFor: 1_500)
        (info.basic.tcpi_probes, info.basic.tcpi_backoff, info.unsent, info.peerWindow) = (1, 3, 100, 0)
        #expect(ChannelDelivery(info).isWaiting && ChannelDelivery(info).patience == ChannelDelivery.fullPatience)
        // Only probes were answered and no data, so a stall that was already reported is not over.
        #expect(ChannelDelivery(info).silence == .milliseconds(1_500))
        info.basic.tcpi_probes = 2
        #expect(ChannelDelivery(info).isWaiting && ChannelDelivery(info).patience == .seconds(1))
    }

    @Test("The kernel reports how many bytes do not fit into the peer's buffer, and that the buffer is full")
    func fullBuffer() async throws {
        #expect(MemoryLayout<TCPInfo>.offset(of: \.unsent) == 144)
        #expect(MemoryLayout<TCPInfo>.offset(of: \.peerWindow) == 228)
        let transport = TCPTransport(sharesMachine: true)
        let listener = try await transport.listen { channel, _ in channel.setOption(.autoRead, value: false) }
        let endpoint = try #require(await listener.endpoints().first { $0.address == "127.0.0.1" })
        let dialled = try await transport.connect(to: endpoint, timeout: .seconds(10), initializer: Self.nothing)
        dialled.writeAndFlush(ByteBuffer(repeating: 1, count: 50_000_000), promise: nil)
        try await eventually("the peer's buffer is full") {
            let delivery = try await transport.delivery(on: dialled).get()
            return delivery?.isWaiting == true && delivery?.patience == ChannelDelivery.fullPatience
        }
        try await dialled.close()
        await listener.close()
    }

    @Test("Both ends set the kernel to notice within 20 seconds that the peer has vanished")
    func vanishedPeersAreNoticed() async throws {
        let accepted = AsyncStream.makeStream(of: (any Channel).self)
        let listener = try await TCPTransport(sharesMachine: true).listen { channel, _ in
            accepted.continuation.yield(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let endpoint = try #require(await listener.endpoints().first { $0.address == "127.0.0.1" })
        let dialled = try await TCPTransport(sharesMachine: true).connect(
            to: endpoint, timeout: .seconds(10), initializer: Self.nothing)
        for channel in [dialled, try #require(await accepted.stream.first { _ in true })] {
            var values: [Int] = []
            for (option, _) in VanishedPeer.options { values.append(try await channel.getOption(option).get()) }
            #expect(values == [1, 10, 5, 20_000])
        }
        try await dialled.close()
        await listener.close()
    }

    @Test(
        "One listener accepts IPv4 and IPv6, and the addresses of IPv4 peers are written as IPv4",
        arguments: ["127.0.0.1", "::1"])
    func listensDualStack(_ address: String) async throws {
        let accepted = AsyncStream.makeStream(of: Endpoint.self)
        let listener = try await TCPTransport(sharesMachine: true).listen { channel, endpoint in
            accepted.continuation.yield(endpoint)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let endpoints = await listener.endpoints()
        let port = try #require(endpoints.first).port
        if address.contains(":"), !endpoints.contains(where: { $0.address == "::1" }) {
            // IPv6 is turned off here, so no IPv6 endpoint may be named.
            #expect(!endpoints.contains { $0.address.contains(":") })
        } else {
            let channel = try await TCPTransport(sharesMachine: true).connect(
                to: Endpoint(transport: .tcp, address: address, port: port), timeout: .seconds(10),
                initializer: Self.nothing)
            var iterator = accepted.stream.makeAsyncIterator()
            #expect(await iterator.next() == Endpoint(transport: .tcp, address: address, port: 0))
            try await channel.close()
        }
        await listener.close()
    }

    @Test("The ports are tried in order, and the kernel chooses one if all are in use")
    func portsInOrder() async throws {
        let accept: AcceptedChannelInitializer = { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        func port(_ listener: any Listener) async throws -> UInt16 {
            try #require(await listener.endpoints().first).port
        }
        // The kernel knows which ports are free here.
        let free = [
            try await TCPTransport(sharesMachine: true).listen(initializer: accept),
            try await TCPTransport(sharesMachine: true).listen(initializer: accept),
        ]
        let ports = [try await port(free[0]), try await port(free[1])]
        await free[1].close()
        let second = try await TCPTransport(ports: ports, sharesMachine: true).listen(initializer: accept)
        #expect(try await port(second) == ports[1])
        let third = try await TCPTransport(ports: ports, sharesMachine: true).listen(initializer: accept)
        #expect(try await !ports.contains(port(third)))
        await free[0].close()
        let first = try await TCPTransport(ports: ports, sharesMachine: true).listen(initializer: accept)
        #expect(try await port(first) == ports[0])
        for listener in [first, second, third] { await listener.close() }
    }

    @Test("There are four fixed ports, which need no privilege and which the kernel never chooses")
    func fixedPorts() {
        #expect(FixedPorts.all.count == 4)
        #expect(FixedPorts.all.allSatisfy { $0 > 1_023 && $0 < 32_768 })
    }

    @Test("A dial whose channel initializer never ends fails at the dial's time limit")
    func timeoutIncludesTheInitializer() async throws {
        let listener = try await TCPTransport(sharesMachine: true).listen { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        let endpoint = try #require(await listener.endpoints().last)
        let reached = Mutex<[EventLoopPromise<Void>]>([])
        // The time limit may end before the initializer runs. So the next attempt has more time.
        for patience in [50, 500, 5_000, 50_000] where reached.withLock(\.isEmpty) {
            let error = await #expect(throws: TransportError.self) {
                _ = try await TCPTransport(sharesMachine: true).connect(to: endpoint, timeout: .milliseconds(patience))
                { channel in
                    let promise = channel.eventLoop.makePromise(of: Void.self)
                    reached.withLock { $0.append(promise) }
                    return promise.futureResult
                }
            }
            #expect(error?.code == .unreachable)
        }
        #expect(reached.withLock(\.count) == 1)
        for promise in reached.withLock(\.self) { promise.fail(CancellationError()) }
        await listener.close()
    }
}

struct InterfaceAddressTests {
    private func v4(_ text: String, loopback: Bool = false, physical: Bool = true) -> InterfaceAddress {
        let bytes = text.split(separator: ".").compactMap { UInt8($0) }
        return InterfaceAddress(text: text, bytes: bytes, isLoopback: loopback, isPhysical: physical)
    }

    private func v6(_ text: String, _ first: UInt8, _ second: UInt8, loopback: Bool = false) -> InterfaceAddress {
        InterfaceAddress(
            text: text, bytes: [first, second] + [UInt8](repeating: 1, count: 14), isLoopback: loopback)
    }

    @Test(
        "Private addresses come before global ones, hardware before bridges, and link-local addresses last or not at all"
    )
    func ranking() {
        let addresses = [
            v4("127.0.0.1", loopback: true), v4("172.17.0.1", physical: false), v4("169.254.1.1"), v4("8.8.4.4"),
            v6("2001:db8::1", 0x20, 0x01), v6("fe80::1", 0xFE, 0x80), v6("fd00::1", 0xFD, 0), v4("192.168.1.2"),
        ]
        #expect(
            InterfaceAddress.ranked(addresses, sharesMachine: false) == [
                "192.168.1.2", "fd00::1", "8.8.4.4", "2001:db8::1", "169.254.1.1", "172.17.0.1",
            ])
        #expect(InterfaceAddress.ranked(addresses, sharesMachine: true).last == "127.0.0.1")
    }

    @Test("Only an address in an interface's network is nearby")
    func neighbours() {
        let own = InterfaceAddress(text: "192.168.1.2", bytes: [192, 168, 1, 2], mask: [255, 255, 255, 0])
        #expect(own.isNeighbour([192, 168, 1, 200]))
        #expect(!own.isNeighbour([192, 168, 2, 2]) && !own.isNeighbour([UInt8](repeating: 0, count: 16)))
        let point = InterfaceAddress(text: "10.0.0.1", bytes: [10, 0, 0, 1])
        #expect(point.isNeighbour([10, 0, 0, 1]) && !point.isNeighbour([10, 0, 0, 2]))
    }

    @Test("This machine's own addresses are nearby, but documentation addresses and invalid ones are not")
    func nearby() {
        let tcp = TCPTransport(sharesMachine: true)
        #expect(tcp.isNearby(Endpoint(transport: .tcp, address: "127.0.0.1", port: 7)))
        for address in ["203.0.113.9", "2001:db8::9", "sofa", ""] {
            #expect(!tcp.isNearby(Endpoint(transport: .tcp, address: address, port: 7)), "\(address)")
        }
    }

    @Test("Only one host's address with a port may be dialled")
    func dialable() {
        let tcp = TCPTransport(sharesMachine: true)
        #expect(tcp.isDialable(Endpoint(transport: .tcp, address: "203.0.113.9", port: 7)))
        for address in ["fe80::1%lo", "fe80::1%\(if_nametoindex("lo"))", "fec0::1", "fe40::1"] {
            #expect(tcp.isDialable(Endpoint(transport: .tcp, address: address, port: 7)), "\(address)")
        }
        for address in [
            "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1", "sofa", "", "fe80::1", "febf::1",
            "fe80::1%nolink", "fe80::1%0", "fe80::1%4294967295",
        ] {
            #expect(!tcp.isDialable(Endpoint(transport: .tcp, address: address, port: 7)), "\(address)")
        }
        #expect(!tcp.isDialable(Endpoint(transport: .tcp, address: "203.0.113.9", port: 0)))
    }

    /// Returns the forms that IPv6 has for an IPv4 address.
    private static func inIPv6(_ address: HostAddress) -> [String] {
        let groups = stride(from: 0, to: 4, by: 2).map {
            String(Int(address.bytes[$0]) << 8 | Int(address.bytes[$0 + 1]), radix: 16)
        }
        let (high, low) = (groups[0], groups[1])
        return ["::", "::ffff:", "::ffff:0:", "64:ff9b::"].map { "\($0)\(high):\(low)" } + ["2002:\(high):\(low)::1"]
    }

    @Test(
        "Loopback and this machine's own addresses are not dialled in any spelling, unless several daemons share the machine"
    )
    func ownAddressesAreNotDialled() async throws {
        let own = HostAddress.ofInterfaces().filter { $0.bytes.count == 4 && $0.bytes[0] != 0 }
        try #require(!own.isEmpty)
        var addresses = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1"]
        addresses += own.map { $0.bytes.map(String.init).joined(separator: ".") } + own.flatMap(Self.inIPv6)
        for address in addresses {
            let endpoint = Endpoint(transport: .tcp, address: address, port: 7)
            #expect(TCPTransport(sharesMachine: true).isDialable(endpoint), "\(address)")
            #expect(!TCPTransport().isDialable(endpoint), "\(address)")
            let error = await #expect(throws: TransportError.self) {
                _ = try await TCPTransport().connect(to: endpoint, timeout: .seconds(5)) {
                    $0.eventLoop.makeSucceededVoidFuture()
                }
            }
            #expect(error?.code == .invalidArgument, "\(address)")
        }
        let another = HostAddress(bytes: [192, 0, 2, 1])
        for address in ["192.0.2.1", "2001:db8::1"] + Self.inIPv6(another) {
            #expect(TCPTransport().isDialable(Endpoint(transport: .tcp, address: address, port: 7)), "\(address)")
        }
    }

    @Test("Loopback is never named to another machine, even if there is no other address")
    func loopbackAlone() {
        let cable = [v4("127.0.0.1", loopback: true), v6("::1", 0, 0, loopback: true), v6("fe80::1", 0xFE, 0x80)]
        #expect(InterfaceAddress.ranked(cable, sharesMachine: false) == [])
        #expect(InterfaceAddress.ranked(cable, sharesMachine: true) == ["127.0.0.1", "::1"])
    }

    @Test("The network with a default route comes before bridges with and without a carrier")
    func leadingOut() {
        func bridge(_ number: Int, carrier: Bool) -> InterfaceAddress {
            InterfaceAddress(
                text: "172.\(number).0.1", bytes: [172, UInt8(number), 0, 1], isPhysical: false, hasCarrier: carrier)
        }
        let home = InterfaceAddress(
            text: "192.168.178.20", bytes: [192, 168, 178, 20], isPhysical: false, hasDefaultRoute: true)
        let cable = InterfaceAddress(text: "169.254.7.7", bytes: [169, 254, 7, 7])
        let idle = (0..<20).map { bridge($0, carrier: false) }
        #expect(
            InterfaceAddress.ranked(idle + [cable, home], sharesMachine: false).prefix(3)
                == ["192.168.178.20", "169.254.7.7", "172.16.0.1"])
        let busy = (0..<20).map { bridge($0, carrier: true) }
        #expect(
            InterfaceAddress.ranked(busy + idle + [cable, home], sharesMachine: false).prefix(3)
                == ["192.168.178.20", "169.254.7.7", "172.16.0.1"])
        // A network card without a cable leads nowhere, even if it has routes.
        let unplugged = InterfaceAddress(
            text: "192.168.9.9", bytes: [192, 168, 9, 9], hasCarrier: false, hasDefaultRoute: true)
        #expect(
            InterfaceAddress.ranked([unplugged, bridge(16, carrier: true)], sharesMachine: false)
                == ["172.16.0.1", "192.168.9.9"])
    }

    @Test("A bridge, a bond or a VLAN has hardware if one of its interfaces has hardware")
    func hardware() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-net-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for path in [
            "eth0/device", "bond0/lower_eth0", "br0/lower_bond0", "br0.7/lower_br0", "docker0/lower_veth1", "veth1",
            "lo",
            "ring0/lower_ring1", "ring1/lower_ring0",
        ] {
            try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
        }
        func hasHardware(_ name: String) -> Bool { InterfaceAddress.hasHardware(name, in: root.path) }
        #expect(["eth0", "bond0", "br0", "br0.7"].allSatisfy(hasHardware))
        #expect(!["docker0", "veth1", "lo", "ring0", "none"].contains(where: hasHardware))
    }

    @Test("A default route leads everywhere, is in use and refuses nothing")
    func defaultRoutes() {
        let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        func route(_ name: String, _ destination: String, _ flags: String, _ mask: String) -> String {
            "\(name)\t\(destination)\t010200C0\t\(flags)\t0\t0\t0\t\(mask)\t0\t0\t0 \n"
        }
        let table =
            head + route("wlan0", "00000000", "0003", "00000000") + route("eth0", "000200C0", "0001", "00FFFFFF")
            + route("tun0", "00000000", "0003", "00000080") + route("dead0", "00000000", "0203", "00000000")
            + route("down0", "00000000", "0002", "00000000") + "torn0\t00000000\n"
        #expect(RoutingTable.defaultInterfaces(ofIPv4: table) == ["wlan0"])
        let none = String(repeating: "0", count: 32)
        func route6(_ destination: String, _ prefix: String, _ flags: String, _ name: String) -> String {
            "\(destination) \(prefix) \(none) 00 \(none) 00000400 00000003 00000000 \(flags) \(name)\n"
        }
        let table6 =
            route6(none, "00", "00000003", "wlan0") + route6(none, "00", "00200200", "lo")
            + route6("fe80" + none.dropFirst(4), "40", "00000001", "eth0") + route6(none, "60", "00000001", "sit0")
        #expect(RoutingTable.defaultInterfaces(ofIPv6: table6) == ["wlan0"])
    }

    @Test("A machine with very many addresses announces 16")
    func addressLimit() {
        let many = (0..<255).map { v4("10.0.0.\($0)") }
        #expect(InterfaceAddress.ranked(many, sharesMachine: false).count == 16)
        let both = InterfaceAddress.ranked(many + [v4("127.0.0.1", loopback: true)], sharesMachine: true)
        #expect(both.count == 16 && both.last == "127.0.0.1")
    }

    @Test("An IPv6 address is represented by its network, because a machine may have every address in it")
    func networks() {
        func network(_ address: String) -> String? {
            TCPTransport().network(of: Endpoint(transport: .tcp, address: address, port: 0))
        }
        #expect(network("2001:db8::1") != nil)
        #expect(network("2001:db8::1") == network("2001:db8:0:0:ffff::2"))
        #expect(network("2001:db8::1") != network("2001:db8:0:1::1"))
        #expect(network("fe80::1%eth0") == network("fe80::2%3"))
        #expect(network("192.0.2.1") == nil && network("unknown") == nil && network("x:y") == nil)
    }
}
