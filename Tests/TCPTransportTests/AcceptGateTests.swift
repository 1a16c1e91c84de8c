// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore
import NIOPosix
import Testing

@testable import TCPTransport

@Suite(.timeLimit(.minutes(5)))
struct AcceptGateTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test("An address is served a hundred times in a second, and other addresses are not affected")
    func rate() {
        var rate = ConnectionRate()
        let served = (0..<1_000).count { _ in rate.admits("192.0.2.1", at: Self.start) }
        #expect(served == ConnectionRate.usualLimit && ConnectionRate.usualLimit == 100)
        let admitted = [
            rate.admits("192.0.2.2", at: Self.start),
            rate.admits("192.0.2.1", at: Self.start + .milliseconds(999)),
            rate.admits("192.0.2.1", at: Self.start + .seconds(1)),
        ]
        #expect(admitted == [true, false, true])
    }

    @Test("The number of counted addresses is limited")
    func bounded() {
        var rate = ConnectionRate()
        #expect((0..<100_000).count { !rate.admits("\($0)", at: Self.start) } == 0)
        #expect(rate.count <= ConnectionRate.maximumAddresses)
    }

    @Test("An address's connections beyond its limit are closed at once, and other addresses are still served")
    func floodOfOneAddress() async throws {
        let served = Watched<[String]>([])
        // The clock stands still, so the second does not end.
        let transport = TCPTransport(
            sharesMachine: true, connectionsPerSecond: ConnectionRate.usualLimit, now: { Self.start })
        let listener = try await transport.listen { channel, remote in
            served.change { $0.append(remote.address) }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let port = Int(try #require(await listener.endpoints().first).port)
        func connect(from address: String) async throws -> any Channel {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(to: SocketAddress(ipAddress: address, port: 0))
                .connect(host: "127.0.0.1", port: port).get()
        }
        var kept: [any Channel] = []
        for _ in 0..<ConnectionRate.usualLimit { kept.append(try await connect(from: "127.0.0.1")) }
        // The transport closes connections beyond the limit.
        for _ in 0..<50 { try await connect(from: "127.0.0.1").closeFuture.get() }
        let other = try await connect(from: "127.0.0.2")
        let addresses = try await served.wait("the other address") { $0.contains("127.0.0.2") ? $0 : nil }
        #expect(addresses.count { $0 == "127.0.0.1" } == ConnectionRate.usualLimit)
        for channel in kept + [other] { try await channel.close() }
        await listener.close()
    }
}
