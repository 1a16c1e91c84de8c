// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Foundation
import NIOCore
import Testing

@testable import BatonService

extension ServiceTests {
    /// Who counts as told that a device leaves.
    struct FarewellTests {
        @Test("Who cannot write that it has left tells nobody, and stays")
        func unwritable() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                // No room can be taken in a directory that is not there.
                try FileManager.default.moveItem(atPath: berta.directory, toPath: berta.directory + ".away")
                let error = await #expect(throws: BatonError.self) { try await berta.service.leaveCircle() }
                #expect(error?.code == .stateUnusable && error?.message.contains("make room") == true)
                #expect(await berta.service.circle != nil)
                #expect(try await berta.service.ping("anna").deviceName == "anna")
                #expect(await anna.service.members.count == 2)
                try FileManager.default.moveItem(atPath: berta.directory + ".away", toPath: berta.directory)
                #expect(try await berta.service.leaveCircle() == ["anna"])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: berta.directory).sorted() == ["lock", "state"])
            }
        }

        /// Keeps what comes next from a device; or ends the channel with that, as the kernel does
        /// for a daemon that is killed.
        private final class Deaf: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let cuts: Bool
            private let kept: Watched<Int>

            init(cuts: Bool, _ kept: Watched<Int>) {
                self.cuts = cuts
                self.kept = kept
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                kept.change { $0 += 1 }
                if cuts { context.close(promise: nil) }
            }
        }

        /// From here on a device hears nothing of another on the channel that there is; how often
        /// it would have.
        private func deafen(_ device: Device, to other: Device, cuts: Bool) async throws -> Watched<Int> {
            let otherID = await other.identityID
            let link = try #require(await device.service.peers.links.to(otherID, radio: .simulated).first)
            let kept = Watched(0)
            let channel = link.channel.channel
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(Deaf(cuts: cuts, kept), position: .first)
            }.get()
            return kept
        }

        @Test(
            "A device whose link breaks, or that stops, before it has heard of it does not count",
            arguments: [true, false])
        func notTold(breaks: Bool) async throws {
            try await World.with { world in
                // Anna cannot dial berta.
                let (anna, berta) = try await world.reachablePair()
                let (annaID, bertaID) = await (anna.identityID, berta.identityID)
                try await eventually("berta has heard anna") {
                    (try? await berta.service.link(to: annaID)) != nil
                }
                try await eventually("anna has the link") { await anna.service.peers.links.leads(to: bertaID) }
                let kept = try await deafen(berta, to: anna, cuts: breaks)
                let leaving = Task { try await anna.service.leaveCircle() }
                try await kept.wait("the farewell") { $0 > 0 ? () : nil }
                if !breaks { await berta.service.stop() }
                #expect(try await leaving.value == [])
                #expect(await anna.service.circle == nil)
                #expect(await berta.memberNames == ["anna", "berta"])
            }
        }

        @Test("A device that offers nothing, and so is silent, is called by radio and told")
        func silent() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let (anna, berta) = try await world.pair(clock: clock)
                try await berta.hearsNobody(clock)
                #expect(try await berta.service.leaveCircle() == ["anna"])
                #expect(await anna.memberNames == ["anna"])
                #expect(await berta.service.peers.awaited.count == 0)
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
            }
        }

        @Test("Whoever does not come in ten seconds is not waited for")
        func away() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let (anna, berta) = try await world.pair(clock: clock)
                await anna.service.stop()
                try await berta.hearsNobody(clock)
                async let told = berta.service.leaveCircle()
                try await eventually("it is called") { await !berta.service.peers.awaited.hailed.isEmpty }
                clock.advance(by: HandoffService.farewellTimeout)
                #expect(try await told == [])
                #expect(await berta.service.circle == nil)
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
            }
        }

        @Test("What a link that breaks may have lost is said again on another")
        func toldAgain() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await berta.publish("note")
                _ = try await anna.takeOver("note")
                let kept = try await deafen(berta, to: anna, cuts: true)
                #expect(try await anna.service.leaveCircle() == ["berta"])
                #expect(kept.value > 0)
                #expect(await berta.memberNames == ["berta"])
            }
        }
    }
}
