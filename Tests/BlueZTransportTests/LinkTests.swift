// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import L2CAP
import NIOCore
import Testing

@testable import BlueZTransport

/// How links are ended (Decisions/0034-one-link-to-a-device.md).
@Suite(.timeLimit(.minutes(3))) struct LinkTests {
    private static func address(_ number: Int) -> BluetoothAddress {
        BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number), kind: .random)
    }

    /// The next device whose link is ended.
    private static func ended(_ bluez: MockBlueZ) async throws -> String {
        try await bluez.requests.next { if case .disconnect(let path) = $0 { path } else { nil } }
    }

    /// A dial that comes to nothing, for there is no such adapter.
    private static func dial(_ peer: BluetoothAddress, by radio: BlueZRadio) async {
        let endpoint = Endpoint(transport: .l2cap, address: peer.description, port: 0x80)
        await #expect(throws: TransportError.self) {
            _ = try await radio.connect(to: endpoint, timeout: .seconds(1)) {
                $0.eventLoop.makeSucceededVoidFuture()
            }
        }
    }

    @Test func aDialEndsTheLinksThatNothingUses() async throws {
        try await RadioFixture.working { fixture, bluez in
            let paths = (1...3).map { MockBlueZ.path(Self.address($0).octets) }
            for path in paths { try bluez.appear(path, [:]) }
            for number in 1...3 { await Self.dial(Self.address(number), by: fixture.radio) }
            #expect(try await Self.ended(bluez) == paths[0])
            #expect(try await Self.ended(bluez) == paths[1])
        }
    }

    /// One after the other, with 5 s for each, they would take longer than this suite may.
    @Test func linksAreEndedAllAtOnce() async throws {
        try await PrivateBus.with { bus in
            let bluez = try await MockBlueZ(on: bus.address)
            let addresses = (0..<LinkUses.limit).map(Self.address)
            let paths = addresses.map { MockBlueZ.path($0.octets) }
            for path in paths { try bluez.appear(path, [:]) }
            let (stream, gate) = AsyncStream.makeStream(of: Void.self)
            bluez.disconnect(after: Task { for await _ in stream {} })
            let connection = try await DBusConnection.open(address: bus.address)
            let owner = try #require(await connection.owner(of: BlueZ.service))
            let daemon = BlueZDaemon(connection: connection, owner: owner)
            async let ending: Void = daemon.disconnect(addresses, on: ["/org/bluez/hci0"])
            // Each is asked for before any answer comes.
            var asked: Set<String> = []
            for _ in paths { asked.insert(try await Self.ended(bluez)) }
            #expect(asked == Set(paths))
            gate.finish()
            await ending
            connection.close()
            await bluez.stop()
        }
    }
}
