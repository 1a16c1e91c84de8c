// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests that news of the circle reaches all devices, including one that was away.
    struct CatchingUpTests {
        @Test("The other members know a device that one member took in as soon as they are connected")
        func newcomerSpreads() async throws {
            try await World.withThree { anna, berta, carla in
                try await berta.knows(["anna", "berta", "carla"])
                try await anna.until("nobody needs to be hailed", after: .stateWrite) {
                    let left = await anna.service.store.state.unacknowledged.union(
                        berta.service.store.state.unacknowledged)
                    return left.isEmpty
                }
                try await carla.publish("note")
                _ = try await berta.takeOver("note")
                #expect(await carla.memberNames == ["anna", "berta", "carla"])
            }
        }

        @Test("A device that was off while another was removed is hailed, and learns of the removal")
        func catchesUp() async throws {
            try await World.with { world in
                let (anna, berta, carla) = try await world.three()
                try await berta.knows(["anna", "berta", "carla"])
                await berta.service.stop()
                _ = try await anna.service.removeDevice(carla.service.identity.id.description)
                let back = try await world.device("berta")
                try await back.knows(["anna", "berta"])
                try await anna.publish("note")
                _ = try await back.takeOver("note")
            }
        }

        @Test("A device that is lost before it knows the circle is dialled again at once, even after a recent dial")
        func lostBeforeItKnew() async throws {
            try await World.withReachablePair { anna, berta in
                let device = await anna.identityID
                let lost = try await berta.service.link(to: device)
                await berta.service.hasDialledInVain(device)
                await berta.service.breakLinks()
                try await berta.until("another connection to anna", after: .traceLine) {
                    await berta.service.peers.links.open.contains { $0 !== lost }
                }
            }
        }

        @Test("The pause before a lost device is dialled again ends when this device stops")
        func stopsInPause() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let device = await berta.identityID
                // After the first loss there may be no pause.
                for _ in 0..<2 { await anna.service.redial(afterLossOf: device) }
                let due = try #require(await anna.service.timetable.deadlines[.redial(device)])
                #expect(due >= .seconds(1))
                await anna.service.stop()
                #expect(await anna.service.timetable.count == 0)
                await anna.service.redial(afterLossOf: device)
                #expect(await anna.service.timetable.count == 0)
            }
        }

        @Test("A device that was away for a month hails, and learns the news although no device hails it")
        func lonelyHails() async throws {
            try await World.with { world, clock in
                let (anna, berta, carla) = try await world.three(clock: clock)
                try await berta.knows(["anna", "berta", "carla"])
                await berta.service.stop()
                _ = try await anna.service.removeDevice("carla")
                await carla.service.stop()
                await anna.service.stop()
                clock.advance(by: .seconds(30 * 86_400))
                let back = try await world.device("berta", clock: clock)
                let founder = try await world.device("anna", clock: clock)
                // Now only berta's own hails can connect them.
                await founder.service.forgetWhomToHail()
                try await eventually("berta has heard of it") {
                    // A dial has ten seconds to succeed, so advance the clock slowly during a dial.
                    let counts = await back.service.counts
                    let contacts = counts["openLinks", default: 0] + counts["dials", default: 0]
                    clock.advance(by: .milliseconds(contacts > 0 ? 50 : 500))
                    await Task.yield()
                    return await back.memberNames == ["anna", "berta"]
                }
            }
        }
    }
}

extension HandoffService {
    /// Sets the state after a dial to a device that has not confirmed the circle.
    fileprivate func hasDialledInVain(_ device: DeviceID) {
        _ = peers[device].dialTurns.takeSync(at: clock.uptime)
        try? store.update { $0.acknowledged = [] }
    }

    /// Sets the state after all members have acknowledged the circle.
    fileprivate func forgetWhomToHail() {
        try? store.update { $0.acknowledged = Set($0.circle?.roster.members.keys ?? [:].keys) }
        try? store.update { $0.inTouch = clock.unixTime }
        hailsChanged()
    }
}
