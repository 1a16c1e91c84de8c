// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests leaving a circle: the effects on the leaving device and the others, and which devices
    /// count as informed.
    struct FarewellTests {
        @Test("Leaving informs the others, makes new keys, and lets the device join again")
        func leaving() async throws {
            try await World.withThree { anna, berta, carla in
                try await berta.knows(["anna", "berta", "carla"])
                let before = await carla.service.identity.id
                _ = try await anna.service.invite()
                try await carla.publish("hers")
                _ = try await anna.offer(ofType: "hers")
                try await anna.publish("mine")
                _ = try await carla.offer(ofType: "mine")
                // The devices have dialled each other to fetch types. Wait for these dials, because
                // a message on a connection that they end may be lost.
                for device in [anna, carla] { await device.dialsEnd() }
                try await anna.until("of two connections one is left", after: .traceLine) {
                    for device in [anna, carla] {
                        let counts = await device.service.counts
                        guard counts["openLinks"] == counts["links"] else { return false }
                    }
                    return true
                }
                #expect(try await carla.service.leaveCircle().contains("anna"))
                #expect(await anna.memberNames == ["anna", "berta"])
                try await berta.knows(["anna", "berta"])
                let status = await carla.service.status()
                #expect(status.circle == nil && status.members.isEmpty)
                #expect(await carla.service.identity.id != before)
                #expect(await carla.radio.payload == nil)
                #expect(await carla.service.offers().isEmpty)
                let error = await #expect(throws: BatonError.self) { try await carla.service.leaveCircle() }
                #expect(error?.code == .noCircle)

                try await carla.service.joinCircle(anna.service.invite().text)
                // The names now belong to the new keys.
                try await berta.knows(["anna", "berta", "carla"])
                _ = try await anna.takeOver("hers")
            }
        }

        @Test("A device that cannot store that it has left informs no device, and stays in the circle")
        func unwritable() async throws {
            try await World.withPair { anna, berta in
                // Space for the state file cannot be reserved, because its directory is missing.
                try FileManager.default.moveItem(atPath: berta.directory, toPath: berta.directory + ".away")
                let error = await #expect(throws: BatonError.self) { try await berta.service.leaveCircle() }
                #expect(error?.code == .stateUnusable && error?.reason?.failure == .circleNotKept)
                #expect(await berta.service.circle != nil)
                #expect(try await berta.service.ping("anna").deviceName == "anna")
                #expect(await anna.service.members.count == 2)
                try FileManager.default.moveItem(atPath: berta.directory + ".away", toPath: berta.directory)
                #expect(try await berta.service.leaveCircle() == ["anna"])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: berta.directory).sorted() == ["lock", "state"])
            }
        }

        /// Drops all further bytes from a device, or closes the channel when the next bytes arrive,
        /// as the kernel does for a killed daemon.
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

        /// Makes a device ignore another's bytes on the present channel. Returns a count of the
        /// ignored reads.
        private func deafen(_ device: Device, to other: Device, cuts: Bool) async throws -> Watched<Int> {
            let otherID = await other.identityID
            let link = try #require(await device.service.peers.links.to(otherID).first)
            let kept = Watched(0)
            let channel = link.channel.channel
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(Deaf(cuts: cuts, kept), position: .first)
            }.get()
            return kept
        }

        @Test(
            "A device that stops, or whose link breaks, before it has read the farewell does not count as informed",
            arguments: [true, false])
        func notTold(breaks: Bool) async throws {
            try await World.with { world in
                // Anna cannot dial berta.
                let (anna, berta) = try await world.reachablePair()
                let annaID = await anna.identityID
                try await berta.hearsBeacon(of: anna)
                _ = try await berta.service.link(to: annaID)
                try await anna.linkBegins(to: berta)
                let kept = try await deafen(berta, to: anna, cuts: breaks)
                let leaving = Task { try await anna.service.leaveCircle() }
                try await kept.wait("the farewell") { $0 > 0 ? () : nil }
                if !breaks { await berta.service.stop() }
                #expect(try await leaving.value == [])
                #expect(await anna.service.circle == nil)
                #expect(await berta.memberNames == ["anna", "berta"])
            }
        }

        @Test("A device that is silent because it offers nothing is hailed by radio and informed")
        func silent() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                #expect(try await berta.service.leaveCircle() == ["anna"])
                #expect(await anna.memberNames == ["anna"])
                #expect(await berta.service.counts["pings"] == 0)
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
            }
        }

        @Test(
            "A device that has left stays in the circle it is in since, although an earlier request to leave ends later"
        )
        func leftTwice() async throws {
            try await World.withPair { anna, berta, clock in
                await anna.service.stop()
                try await berta.hearsNobody(clock)
                async let earlier = berta.service.leaveCircle()
                try await berta.calls()
                // Another program hails the device already, so this request does not wait for it.
                _ = try await berta.service.leaveCircle()
                try await berta.service.createCircle(name: "")
                let circle = try #require(await berta.service.circle)
                clock.advance(by: HandoffService.farewellTimeout)
                #expect(try await earlier == [])
                #expect(await berta.service.circle == circle)
            }
        }

        @Test("A leaving device waits at most ten seconds for another device")
        func away() async throws {
            try await World.withPair { anna, berta, clock in
                await anna.service.stop()
                try await berta.hearsNobody(clock)
                async let told = berta.service.leaveCircle()
                try await berta.calls()
                clock.advance(by: HandoffService.farewellTimeout)
                #expect(try await told == [])
                #expect(await berta.service.circle == nil)
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
            }
        }

        @Test("No device is informed before all were searched for, because an informed device stops answering")
        func allAreLookedForFirst() async throws {
            try await World.with { world, clock in
                let (anna, berta, carla) = try await world.three(clock: clock)
                try await berta.knows(["anna", "berta", "carla"])
                // Carla has a link to berta and none to anna.
                try await berta.publish("note")
                _ = try await carla.takeOver("note")
                await anna.service.stop()
                try await carla.until("no connection to anna", after: .traceLine) { await !carla.hasLink(to: anna) }
                async let told = carla.service.leaveCircle()
                try await carla.until("anna is looked for", after: .sleep) {
                    let dials = await carla.service.counts["dials"]
                    let hailed = await carla.service.peers.awaited.hailed
                    return dials == 1 || !hailed.isEmpty
                }
                // An earlier farewell on berta's link would have ended the link.
                _ = try await carla.service.ping("berta")
                #expect(await berta.memberNames.count == 3)
                clock.advance(by: HandoffService.farewellSearch)
                #expect(try await told == ["berta"])
                #expect(await berta.memberNames == ["anna", "berta"])
            }
        }

        @Test("A farewell that a broken link may have lost is sent again on another link")
        func toldAgain() async throws {
            try await World.withPair { anna, berta in
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
