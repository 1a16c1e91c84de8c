// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// What a member can cost the others by what it says inside TLS: carla says it.
    struct HostileMemberTests {
        @Test("A member that tells 5 × 256 types again and again takes no type from another's offer")
        func floodOfTypes() async throws {
            try await World.with { world in
                let (anna, berta, carla) = try await world.three()
                _ = try await anna.service.invite()
                try await berta.publish("org.example.letters.write")
                let offer = try await anna.offer(ofType: "org.example.letters.write")
                let speaker = try await Speaker(carla, at: anna)
                for _ in 0..<2 {
                    for first in stride(from: 0, to: 5 * Hello.maximumTypes, by: Hello.maximumTypes) {
                        speaker.hello.types = (first..<first + Hello.maximumTypes).map {
                            ActivityTypeEntry(hash: [1, 2, 3, 4, 5], team: "", type: "org.example.t\($0)")
                        }
                        try await speaker.say()
                    }
                    #expect(await anna.service.offers().first { $0.offer == offer.offer }?.type == offer.type)
                    // What is on offer is known anyway: the same once more, when it is offered
                    // anew.
                    await anna.service.radioEvent(.lost(address: berta.radio.address))
                    try await anna.withdrawal(ofType: "org.example.letters.write")
                    _ = try await anna.offer("berta's, again") { $0.offer == offer.offer }
                }
                speaker.close()
            }
        }
    }
}
