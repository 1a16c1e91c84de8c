// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import L2CAP
import Testing

@testable import BlueZTransport

/// One link to a device, whatever addresses it has had (Decisions/0034-one-link-to-a-device.md).
@Suite(.timeLimit(.minutes(3))) struct LinkTests {
    private static func address(_ number: Int) throws -> BluetoothAddress {
        try #require(
            BluetoothAddress(
                "40:00:00:00:00:\(number < 16 ? "0" : "")\(String(number, radix: 16, uppercase: true))/random"))
    }

    /// The devices whose links are ended, in order.
    private static func ended(_ bluez: MockBlueZ) async throws -> String {
        try await bluez.requests.next { if case .disconnect(let path) = $0 { path } else { nil } }
    }

    @Test func linksThatNothingUsesAreEndedAndNoOthers() async throws {
        try await RadioFixture.working { fixture, bluez in
            let addresses = try (1...3).map(Self.address)
            let paths = addresses.map { MockBlueZ.path($0.octets.description) }
            for path in paths { try bluez.appear(path, [:]) }
            let radio = fixture.radio
            let (first, second, third) = (
                await radio.use(addresses[0]), await radio.use(addresses[1]), await radio.use(addresses[2])
            )
            let again = await radio.use(addresses[1])
            await radio.release(first)
            await radio.release(second)
            await radio.endUnusedLinks()
            #expect(try await Self.ended(bluez) == paths[0])
            #expect(await Set(radio.links.keys) == Set(addresses[1...]))
            // Two had been made use of the second.
            await radio.release(again)
            await radio.endUnusedLinks()
            #expect(try await Self.ended(bluez) == paths[1])
            #expect(await Set(radio.links.keys) == [addresses[2]])
            await radio.release(third)
            await radio.endUnusedLinks()
            #expect(try await Self.ended(bluez) == paths[2])
        }
    }

    /// One after the other, with 5 s for each, they would take longer than this suite may.
    @Test func linksThatNothingUsesAreEndedAllAtOnce() async throws {
        try await RadioFixture.working { fixture, bluez in
            let addresses = try (0..<BlueZRadio.maximumLinks).map(Self.address)
            let paths = addresses.map { MockBlueZ.path($0.octets.description) }
            for path in paths { try bluez.appear(path, [:]) }
            let (stream, gate) = AsyncStream.makeStream(of: Void.self)
            bluez.disconnect(after: Task { for await _ in stream {} })
            for address in addresses { await fixture.radio.release(await fixture.radio.use(address)) }
            async let ending: Void = fixture.radio.endUnusedLinks()
            // Each is asked for before any answer comes.
            var asked: Set<String> = []
            for _ in paths { asked.insert(try await Self.ended(bluez)) }
            #expect(asked == Set(paths))
            gate.finish()
            await ending
        }
    }

    @Test func publicAddressesAreNotCountedAndPrivateOnesToALimit() async throws {
        try await RadioFixture.working { fixture, _ in
            let radio = fixture.radio
            #expect(await radio.use(try #require(BluetoothAddress("00:AA:01:00:00:00/public"))) == nil)
            var uses: [BlueZRadio.LinkUse?] = []
            for number in 0..<BlueZRadio.maximumLinks { uses.append(await radio.use(try Self.address(number))) }
            #expect(uses.allSatisfy { $0 != nil })
            let beyond = try Self.address(BlueZRadio.maximumLinks)
            let uncounted = await radio.use(beyond)
            #expect(uncounted == nil)
            // One that is free makes room; the end of what was not counted counts nothing.
            await radio.release(uses[0])
            let counted = await radio.use(beyond)
            #expect(counted != nil)
            await radio.release(uncounted)
            #expect(await radio.links[beyond] == 1)
            #expect(await radio.links.count == BlueZRadio.maximumLinks)
        }
    }
}
