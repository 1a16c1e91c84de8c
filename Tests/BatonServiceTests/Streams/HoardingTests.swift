// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import NIOCore
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests members that try to make another device keep its app's bytes in memory.
    struct HoardingTests {
        private static let mebibyte = 1 << 20

        /// Attaches streams to anna's activity with the largest window, over a channel from which
        /// berta then stops reading.
        private func attach(_ anna: Device, _ berta: Device) async throws -> (SecureChannel, AppEnd) {
            let grant = try await berta.streamGrant(from: anna)
            let channel = try await berta.dial(anna)
            channel.send(
                .attach(Attach(token: grant.token, generation: 1, nextOffset: 0, window: StreamMachine.maximumWindow)))
            guard case .attached = try await channel.nextFrame(within: .seconds(30)) else {
                throw Missing(what: "the attachment")
            }
            try await channel.channel.setOption(.autoRead, value: false).get()
            return (channel, try await anna.streamsOpened())
        }

        @Test("Even with the largest window and false acknowledgements, a device keeps no more than a few windows")
        func boundlessWindow() async throws {
            try await World.withPair { anna, berta in
                let (channel, app) = try await attach(anna, berta)
                let piece = [UInt8](repeating: 7, count: 65_536)
                var (taken, stalled, echoes) = (0, 0, 0)
                while stalled < 50, taken < 64 * Self.mebibyte {
                    let count = app.writeNow(piece)
                    taken += count
                    stalled = count == 0 ? stalled + 1 : 0
                    guard count == 0 else { continue }
                    // Acknowledge only what anna has certainly sent. The bytes in the app's socket
                    // have not been sent.
                    let told = UInt64(max(taken - Self.mebibyte, 0))
                    channel.send(.ack(Ack(offset: told, window: StreamMachine.maximumWindow)))
                    channel.send(.data(StreamData(offset: UInt64(echoes), bytes: [1])))
                    echoes += 1
                    // This byte comes after the acknowledgement, so its arrival shows that the
                    // acknowledgement has been handled.
                    #expect(await app.read(1) == [1])
                }
                #expect(taken < 32 * Self.mebibyte)
                channel.close()
                app.close()
            }
        }

        @Test(
            "For an app that writes single bytes faster than the channel takes them, at most some thousand frames wait")
        func singleBytes() async throws {
            try await World.withPair { anna, berta in
                let (channel, app) = try await attach(anna, berta)
                var taken = 0
                for echo in 0..<8_000 {
                    taken += app.writeNow([7])
                    // When this byte arrives, anna's event loop has handled the app's bytes.
                    channel.send(.data(StreamData(offset: UInt64(echo), bytes: [1])))
                    #expect(await app.read(1) == [1])
                }
                #expect(taken < 4_000)
                channel.close()
                app.close()
            }
        }
    }
}
