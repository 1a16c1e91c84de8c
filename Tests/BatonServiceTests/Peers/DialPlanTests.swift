// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests the times at which a device's announced addresses are dialled.
    ///
    /// A hostile device may list hosts of this laptop's network among its own addresses. From the
    /// order of the dials it may try to learn how those hosts answer.
    struct DialPlanTests {
        private static let told = (1...12).map { Endpoint(transport: .tcp, address: "192.0.2.\($0)", port: 7) }

        private func start(ofPlace place: Int) -> Duration {
            Dialler.start(ofPlace: place, pause: TransportTraits.tcp.pauseBetweenDials)
        }

        /// Returns a device that dials by TCP on a clock, its transport, and another device's
        /// credential.
        private func dialler(in world: World, _ clock: ManualClock, _ answer: OtherHosts.Answer) async throws
            -> (Device, OtherHosts, PeerCredential)
        {
            let anna = try await world.device("anna", clock: clock)
            let (berta, hosts) = try await world.device(
                "berta", clock: clock, tcpProxy: { OtherHosts($0, answer, clock) })
            try await anna.makeCircle(with: berta)
            let credential = try #require(await berta.service.keyring.credential(of: await anna.identityID))
            return (berta, hosts, credential)
        }

        @Test(
            "Announced addresses are dialled at fixed times, whatever the hosts answer, and at most five at once",
            arguments: OtherHosts.Answer.allCases)
        func fixedPlan(answer: OtherHosts.Answer) async throws {
            try await World.with { world, clock in
                let (berta, hosts, credential) = try await dialler(in: world, clock, answer)
                let begun = clock.uptime
                let race = Task { try await berta.service.dialler.race(Self.told, credential: credential) }
                for place in Self.told.indices {
                    if answer == .nothing, place >= Dialler.maximumAtOnce {
                        let end = start(ofPlace: place - Dialler.maximumAtOnce) + Dialler.timeoutOfMany
                        clock.advance(by: begun + end - clock.uptime)
                        try await hosts.open.wait("a place") { $0.now < Dialler.maximumAtOnce ? () : nil }
                    }
                    clock.advance(by: begun + start(ofPlace: place) - clock.uptime)
                    try await hosts.dialled.wait("dial \(place)") { $0.count > place ? () : nil }
                    // Whatever the result of that dial, no other dial begins before its time.
                    for _ in 0..<1_000 { await Task.yield() }
                    #expect(hosts.dialled.value.count == place + 1)
                }
                let plan = Self.told.indices.map {
                    OtherHosts.Dial(endpoint: Self.told[$0], at: begun + start(ofPlace: $0))
                }
                #expect(hosts.dialled.value == plan)
                #expect(hosts.open.value.most <= Dialler.maximumAtOnce)
                race.cancel()
                _ = try? await race.value
            }
        }

        @Test("A trial lasts long enough to dial sixteen announced addresses")
        func withinATrial() {
            let last = start(ofPlace: Hello.maximumEndpoints - 1)
            #expect(last + Dialler.timeoutOfMany < TransportTrial.timeout)
        }

        @Test("Both sides of a channel dial the address at which the other device proved itself first")
        func ownFirst() async throws {
            try await World.with { world in
                // With a running clock, the streams would use the radio after three seconds without
                // an answer over TCP.
                let clock = ManualClock()
                let wrap = { (tcp: TCPTransport) in OneAddressTCP(proxied: tcp) }
                let anna = try await world.device("anna", tcp: true, clock: clock, wrapTCP: wrap)
                let berta = try await world.device("berta", tcp: true, clock: clock, wrapTCP: wrap)
                try await anna.makeCircle(with: berta)
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "tcp")
                for (device, other) in [(anna, berta), (berta, anna)] {
                    let peer = ChannelPeer.member(await other.identityID)
                    let own = try #require(await other.service.reachability.told.first)
                    let endpoint = try #require(device.service.transports.told([own]).first)
                    #expect(await device.service.ownFirst(Self.told + [endpoint], of: peer) == [endpoint] + Self.told)
                }
                ends.close()
            }
        }
    }
}

/// A fake TCP to hosts that are not laptops, on a test's clock.
final class OtherHosts: TransportProxy {
    enum Answer: CaseIterable {
        /// The host refuses the connection at once.
        case refusal
        /// The host accepts the connection, and then sends nothing.
        case connection
        /// The host does not answer until the dial times out.
        case nothing
    }

    struct Dial: Hashable, Sendable {
        var endpoint: Endpoint
        var at: Duration
    }

    /// The dials, with their times.
    let dialled = Watched<[Dial]>([])
    /// The number of unanswered dials, and its maximum.
    let open = Watched<(now: Int, most: Int)>((0, 0))
    let proxied: any ChannelTransport
    private let answer: Answer
    private let clock: ManualClock

    init(_ tcp: TCPTransport, _ answer: Answer, _ clock: ManualClock) {
        (proxied, self.answer, self.clock) = (tcp, answer, clock)
    }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        let unanswered = TransportError(.unreachable, "no answer")
        // The test moves the clock when it sees the dial, so read the time before that.
        let begun = clock.uptime
        if answer == .nothing { open.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        dialled.change { $0.append(Dial(endpoint: endpoint, at: begun)) }
        switch answer {
        case .refusal: throw unanswered
        case .connection:
            let host = TCPTransport(sharesMachine: true, connectionsPerSecond: .max)
            let listener = try await host.listen { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
            let there = try #require(await listener.endpoints().last)
            let channel = try await proxied.connect(to: there, timeout: timeout, initializer: initializer)
            await listener.close()
            return channel
        case .nothing:
            defer { open.change { $0.now -= 1 } }
            try await clock.sleep(until: begun + timeout)
            throw unanswered
        }
    }
}
