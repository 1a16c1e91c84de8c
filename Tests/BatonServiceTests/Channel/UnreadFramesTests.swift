// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Foundation
import NIOCore
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests members that do not read the frames that they make a device send.
    struct UnreadFramesTests {
        private static let type = "org.example.book"
        /// A number of bytes that exceeds the kernel's buffers and all limits together.
        private static let far = 32 << 20

        /// Opens berta's control channel to anna, and stops berta's reading from it. Returns the
        /// channel with anna's link.
        ///
        /// Berta's service must have asked anna about her offer before. Otherwise the service would
        /// dial anna to ask, and the new link would replace this one.
        private func link(_ berta: Device, _ anna: Device) async throws -> (SecureChannel, PeerLink) {
            _ = try await berta.offer(ofType: Self.type)
            let channel = try await berta.dial(anna)
            channel.send(.hello(await berta.service.hello()))
            guard case .hello = try await channel.nextFrame(within: .seconds(30)) else { throw Missing(what: "hello") }
            try await channel.channel.setOption(.autoRead, value: false).get()
            let device = await berta.service.identity.id
            return (channel, try #require(await anna.service.peers.links.all.first { $0.device == device }))
        }

        /// Sends requests until the channel ends, without reading. Returns the number of bytes of
        /// answers that were waiting then.
        private func ask(
            _ channel: SecureChannel, _ link: PeerLink, for hash: [UInt8], size: Int
        ) async throws -> Int {
            var id: UInt64 = 0
            while id * UInt64(size) < Self.far {
                id += 1
                channel.send(.continueRequest(ContinueRequest(id: id, activity: hash)))
                // Wait for the answer, because a report before it would violate the protocol.
                try await eventually("an answer") {
                    if link.isOver { return true }
                    return if case .awaitsContinued = link.session.peerRequests[id] { true } else { false }
                }
                if link.isOver { break }
                channel.send(.continued(Continued(id: id, accepted: false)))
            }
            return Int(id) * size
        }

        @Test("A member that fetches an activity repeatedly and reads nothing is disconnected at about 4 MiB")
        func answersThatNobodyReads() async throws {
            try await World.withPair { anna, berta in
                let size = 50_000
                try await anna.publish(Self.type, userInfo: ["text": .data(Data(count: size))])
                let (channel, link) = try await link(berta, anna)
                let hash = try #require(await anna.service.hello().activity)
                let count = try await ask(channel, link, for: hash, size: size)
                try #require(count > FrameCodec.maximumUnwritten / 2 && count < 2 * FrameCodec.maximumUnwritten)
                #expect(
                    await link.channel.failure() as? ChannelFailure == .violation("it does not read what it is sent"))
                channel.close()
            }
        }
    }
}
