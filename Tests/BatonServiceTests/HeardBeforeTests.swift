// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests {
    /// Advertisements that were heard before they could be understood, by radios that tell of each once.
    struct HeardBeforeTests {
        @Test("An activity that was on the air before a device joined is offered as soon as it has joined")
        func joining() async throws {
            try await World.with { world in
                // Which stands still: the next epoch, with other bytes, never comes.
                let clock = ManualClock()
                let anna = try await world.device("anna", clock: clock)
                try await anna.service.createCircle(name: "")
                try await anna.publish("org.example.note")
                let carla = try await world.device("carla", clock: clock, wrap: TerseRadio.init)
                try await eventually("what anna advertises now was heard") {
                    let onAir = await anna.service.ordinaryAdvertisement
                    return await carla.service.clockSearch.unopened.values.contains { $0 == onAir }
                }
                try await carla.service.joinCircle(anna.service.invite().text)
                _ = try await carla.offer(ofType: "org.example.note")
            }
        }
    }
}
