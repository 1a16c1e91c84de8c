// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests a device that comes back to a circle through an inviter that is slow between Welcome
    /// and Joined. Events between the two messages must take effect.
    struct ReturningTests {
        /// A device of a circle of three that comes back through a hand-made inviter, which is a
        /// member that has removed the device. Only the frame Joined remains to be sent.
        private struct Scene {
            let anna: Device
            let berta: Device
            let inviter: HandMadeInviter
            let channel: SecureChannel
            let joining: Task<Void, any Error>
            let formerID: DeviceID

            init(_ world: World) async throws {
                let carla: Device
                (anna, berta, carla) = try await world.three()
                let berta = berta
                try await berta.knows(["anna", "berta", "carla"])
                await carla.service.stop()
                formerID = await berta.identityID
                let keys = await carla.service.identity
                var circle = try #require(await carla.service.circle)
                try circle.remove(formerID, by: keys)
                inviter = try HandMadeInviter(try await world.radio("inviter"), as: keys, in: circle)
                try await inviter.open()
                (channel, joining) = try await Self.invite(berta, by: inviter)
            }

            static func invite(
                _ berta: Device, by inviter: HandMadeInviter
            ) async throws -> (SecureChannel, Task<Void, any Error>) {
                let text = try await inviter.invite(at: berta.service.clock.unixTime)
                let joining = Task { try await berta.service.joinCircle(text) }
                return (try await inviter.agreedJoiner(), joining)
            }

            /// Sends anna's statement that a device was removed.
            func tell(removalOf device: DeviceID) async throws {
                let keys = await anna.service.identity
                var told = try #require(await anna.service.circle)
                try told.remove(device, by: keys)
                await berta.service.mergeCircle(try told.encoded(), from: keys.id)
            }
        }

        @Test("Repeated failures before Joined leave the device as it was, and it comes back the next time")
        func breaks() async throws {
            try await World.with { world in
                let scene = try await Scene(world)
                let before = await scene.berta.service.circle
                scene.channel.close()
                for _ in 1..<scene.berta.radio.traits.dialAttempts { (try await scene.inviter.agreedJoiner()).close() }
                let error = await #expect(throws: BatonError.self) { try await scene.joining.value }
                #expect(error?.code == .alreadyInCircle && error?.reason?.failure == .inThatCircle)
                #expect(await scene.berta.service.circle == before)
                #expect(await scene.berta.identityID == scene.formerID)
                #expect(await scene.berta.service.returningDevice == nil)
                let (channel, joining) = try await Scene.invite(scene.berta, by: scene.inviter)
                channel.send(.joined([]))
                try await joining.value
                #expect(await scene.berta.identityID != scene.formerID)
                #expect(await scene.berta.service.circle?.roster.isGone(scene.formerID) == true)
            }
        }

        @Test("If the device learns meanwhile that its inviter was removed, the inviter takes no device in")
        func inviterWasRemoved() async throws {
            try await World.with { world in
                let scene = try await Scene(world)
                try await scene.tell(removalOf: scene.inviter.identity.id)
                #expect(await scene.berta.memberNames == ["anna", "berta"])
                scene.channel.send(.joined([]))
                await #expect(throws: BatonError.self) { try await scene.joining.value }
                #expect(await scene.berta.memberNames == ["anna", "berta"])
                #expect(await scene.berta.identityID == scene.formerID)
            }
        }

        @Test("A device that leaves the circle meanwhile stays outside")
        func leaves() async throws {
            try await World.with { world in
                let scene = try await Scene(world)
                _ = try await scene.berta.service.leaveCircle()
                scene.channel.send(.joined([]))
                let error = await #expect(throws: BatonError.self) { try await scene.joining.value }
                #expect(error?.code == .pairingFailed && error?.reason?.failure == .leftMeanwhile)
                let state = await scene.berta.service.store.state
                #expect(state.circle == nil && !state.wasRemoved)
            }
        }

        @Test("A device that learns meanwhile of its own removal still comes back")
        func removalIsLearnt() async throws {
            try await World.with { world in
                let scene = try await Scene(world)
                try await scene.tell(removalOf: scene.formerID)
                #expect(await scene.berta.service.circle == nil)
                scene.channel.send(.joined([]))
                try await scene.joining.value
                let state = await scene.berta.service.store.state
                #expect(state.circle?.roster.members[state.identity.id] != nil && !state.wasRemoved)
                #expect(state.circle?.roster.isGone(scene.formerID) == true)
            }
        }
    }
}
