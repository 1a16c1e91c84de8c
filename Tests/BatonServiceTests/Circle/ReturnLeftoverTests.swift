// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests that a device that comes back keeps its knowledge of the circle, but nothing else of
    /// its old state.
    struct ReturnLeftoverTests {
        private static let app = Device.app

        /// Creates two devices of a circle, one of which was removed while it was away.
        private func removed(_ body: (_ anna: Device, _ berta: Device) async throws -> Void) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                await berta.service.stop()
                _ = try await anna.service.removeDevice("berta")
                try await body(anna, try await world.device("berta"))
            }
        }

        @Test("A removal that only the returning device knows reaches the others, with the new secret")
        func removalOfItsOwn() async throws {
            try await World.with { world in
                let (anna, berta, carla) = try await world.three()
                try await berta.knows(["anna", "berta", "carla"])
                for device in [anna, carla] { await device.service.stop() }
                _ = try await berta.service.removeDevice("carla")
                await berta.service.stop()
                let desk = try await world.device("anna")
                _ = try await desk.service.removeDevice("berta")
                let sofa = try await world.device("berta")
                try await sofa.service.joinCircle(desk.service.invite().text)
                try await desk.knows(["anna", "berta"])
                try await desk.until("both have one secret", after: .stateWrite) {
                    let secret = await desk.service.circle?.secret
                    return await sofa.service.circle?.secret == secret
                }
                try await sofa.publish("here")
                _ = try await desk.takeOver("here")
            }
        }

        @Test("The old identity's beacon is off the air, even if its invitation was open")
        func beacon() async throws {
            try await removed { anna, berta in
                _ = try await berta.service.invite()
                try await berta.until("it can be found", after: .traceLine) { await berta.radio.payload != nil }
                try await berta.service.joinCircle(anna.service.invite().text)
                #expect(await berta.radio.payload == nil)
                #expect(await berta.service.advertising.slot.ordinary == nil)
            }
        }

        @Test("The old identity's invitations and its code have ended, and a new code can be shown")
        func code() async throws {
            try await removed { anna, berta in
                let shown = try await berta.service.pairByCode(client: Self.app)
                let waiting = Task { try await berta.service.paired(shown.pairing, client: Self.app) }
                _ = try await berta.service.invite()
                try await berta.service.joinCircle(anna.service.invite().text)
                #expect(await berta.service.counts["invitations"] == 0)
                _ = try await berta.service.pairByCode(client: ClientID(rawValue: ":1.9"))
                let end = await #expect(throws: BatonError.self) { try await waiting.value }
                #expect(end?.code == .alreadyInCircle || end?.code == .notFound)
            }
        }

        @Test("No caller waits for the old identity's dials, and none of its pauses between dials continues")
        func dials() async throws {
            try await removed { anna, berta in
                let other = await anna.identityID
                let waiters = await berta.service.rememberDials(of: other)
                try await berta.service.joinCircle(anna.service.invite().text)
                await #expect(throws: (any Error).self) { try await waiters.value() }
                #expect(await berta.service.counts["dials"] == 0)
                var turns = await berta.service.peers[other].dialTurns
                let now = berta.service.clock.uptime
                let mayBeDialled = [turns.takeSync(at: now), turns.takeNear(at: now)]
                #expect(mayBeDialled == [true, true])
            }
        }
    }
}

extension HandoffService {
    /// Adds a running dial to a device, and records of earlier dials.
    fileprivate func rememberDials(of device: DeviceID) -> Waiters<PeerLink> {
        let waiters = Waiters<PeerLink>()
        peers.dials.begin(
            .init(device: device, route: .any), .init(task: Task {}, waiters: waiters, signs: SignsOfLife(clock: clock))
        )
        _ = peers[device].dialTurns.takeSync(at: clock.uptime)
        _ = peers[device].dialTurns.takeNear(at: clock.uptime)
        return waiters
    }
}
