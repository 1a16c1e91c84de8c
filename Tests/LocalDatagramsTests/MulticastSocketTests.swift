// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalNetworks
import Synchronization
import Testing

@testable import LocalDatagrams

/// Tests real sockets on the loopback interface.
@Suite struct MulticastSocketTests {
    private static let length = 25
    private static let all: [UInt8] = [224, 0, 0, 1]
    private static let loopback: [UInt8] = [127, 0, 0, 1]
    /// The port of the latest test. No two tests share one, because they run at the same time.
    private static let latestPort = Mutex(UInt16.random(in: 40_000..<59_000))
    private let port = latestPort.withLock { port in
        port += 1
        return port
    }
    private let interface = if_nametoindex("lo")
    private let bytes = (0..<UInt8(length)).map { $0 }

    /// Returns the loopback network, in which this machine's own address differs from the one from
    /// which the tests send. The kernel may choose any address in 127.0.0.0/8 for sending.
    private func network(own: [UInt8] = [127, 0, 0, 9], prefix: Int = 0) -> LocalNetwork {
        LocalNetwork(
            interface: interface, name: "lo", hasBroadcast: true, addresses: [.init(bytes: own, prefixLength: prefix)],
            hasDefaultRoute: false, gateways: [])
    }

    private func open() throws -> MulticastSocket {
        try MulticastSocket(.ipv4, interface: interface, port: port, length: Self.length)
    }

    /// Sends a datagram by an ordinary socket, as any program can.
    private func send(_ bytes: [UInt8], to address: [UInt8] = all, ttl: CInt = 255) {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var request = ip_mreqn()
        request.imr_ifindex = CInt(interface)
        setsockopt(descriptor, IPv4.level, IP_MULTICAST_IF, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
        var ttl = ttl
        setsockopt(descriptor, IPv4.level, IP_MULTICAST_TTL, &ttl, socklen_t(MemoryLayout<CInt>.size))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &target.sin_addr) { $0.copyBytes(from: address) }
        let sent = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(sent == bytes.count)
    }

    /// Receives the next datagram. A busy kernel delivers it some time after it was sent.
    private func next(at socket: MulticastSocket) -> MulticastSocket.Reception {
        var request = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 30_000)
        return socket.receive()
    }

    @Test("A datagram to all hosts is received with its source and its hop limit")
    func received() throws {
        let socket = try open()
        defer { socket.close() }
        #expect(socket.receive() == .nothing)
        socket.send(bytes)
        guard case .datagram(let arrival) = next(at: socket) else {
            Issue.record("nothing was received")
            return
        }
        #expect(arrival.bytes == bytes && arrival.hopLimit == 255)
        #expect(arrival.isFromNeighbour(in: network()))
        #expect(!arrival.isFromNeighbour(in: network(own: arrival.source)))
    }

    @Test("A datagram to one host is not received")
    func unicast() throws {
        let socket = try open()
        defer { socket.close() }
        send(bytes, to: Self.loopback)
        #expect(socket.receive() == .nothing)
    }

    @Test("A datagram of another length is ignored")
    func otherLengths() throws {
        let socket = try open()
        defer { socket.close() }
        for count in [0, 1, 24, 26, 1_400] {
            send([UInt8](repeating: 1, count: count))
            #expect(next(at: socket) == .ignored)
        }
        #expect(socket.receive() == .nothing)
    }

    @Test("A datagram that passed a router is not taken")
    func hopLimit() throws {
        let socket = try open()
        defer { socket.close() }
        for ttl in [1, 64, 254] as [CInt] {
            send(bytes, ttl: ttl)
            guard case .datagram(let arrival) = next(at: socket) else {
                Issue.record("nothing was received")
                continue
            }
            #expect(arrival.hopLimit == ttl)
            #expect(!arrival.isFromNeighbour(in: network()))
        }
    }

    @Test("A datagram whose source is not in the network, or is this machine's own address, is dropped")
    func sources() {
        func arrival(_ source: [UInt8]) -> MulticastSocket.Arrival {
            .init(bytes: bytes, source: source, hopLimit: 255)
        }
        let home = network(own: [192, 0, 2, 1], prefix: 24)
        #expect(arrival([192, 0, 2, 7]).isFromNeighbour(in: home))
        for source in [
            [192, 0, 2, 1], [192, 0, 3, 7], [127, 0, 0, 1], [0, 0, 0, 0], [UInt8](repeating: 0, count: 16),
        ] {
            #expect(!arrival(source).isFromNeighbour(in: home))
        }
    }

    @Test("The daemons of two users of one machine both receive a datagram")
    func twoUsers() throws {
        let (one, other) = (try open(), try open())
        defer {
            one.close()
            other.close()
        }
        send(bytes)
        for socket in [one, other] {
            guard case .datagram = next(at: socket) else {
                Issue.record("nothing was received")
                continue
            }
        }
    }

    @Test("A socket of another interface does not get the datagram")
    func otherInterface() throws {
        let other = interface + 1_000_000
        let socket = try MulticastSocket(.ipv4, interface: other, port: port, length: Self.length)
        defer { socket.close() }
        send(bytes)
        #expect(socket.receive() == .nothing)
    }

    @Test("Linux before 5.7 refuses to bind a socket to an interface, which differs from other errors")
    func oldKernels() {
        let reasons = [EPERM, ENOPROTOOPT, ENODEV, ENOBUFS].map { MulticastSocket.OpeningError(binding: $0) }
        #expect(reasons == [.refused, .refused, .failed, .failed])
    }

    @Test("The carrier reads 64 datagrams in a second, and continues in the next second")
    func flood() async throws {
        let carrier = MulticastDatagrams(port: port, length: Self.length)
        // The carrier's first second begins when its socket opens.
        let begun = ContinuousClock.now
        carrier.listen(in: [network()])
        var received = carrier.received.makeAsyncIterator()
        // The socket is opened on another thread.
        var isOpen = false
        while !isOpen {
            send(bytes)
            try await Task.sleep(for: .milliseconds(10))
            carrier.send(bytes, by: .ipv4, in: interface)
            isOpen = await received.next() != nil
        }
        // The kernel keeps only some of the datagrams that arrive during the pause, so they never
        // stop.
        let flood = Task {
            while (try? await Task.sleep(for: .milliseconds(1))) != nil { send(bytes) }
        }
        for _ in 0...MulticastSocket.maximumPerSecond { _ = await received.next() }
        flood.cancel()
        #expect(ContinuousClock.now - begun > .milliseconds(900))
        #expect(!carrier.isRefused)
        carrier.listen(in: [])
        withExtendedLifetime(carrier) {}
    }
}
