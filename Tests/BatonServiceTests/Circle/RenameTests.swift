// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.CircleLane {
    /// What a member can do with its name, and with what it says that it is called.
    struct RenameTests {
        @Test("What a hello says that a device is called counts for nothing: the name that it signed does")
        func helloNamesNobody() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.reachablePair()
                let speaker = try await Speaker(berta, at: anna)
                speaker.hello.name = "anna"
                try await speaker.say()
                #expect(await anna.memberNames == ["anna", "berta"])
                #expect(await anna.service.name(of: berta.identityID) == "berta")
                speaker.close()
            }
        }

        @Test("Two devices of one name are told apart in offers and hand-overs; as members they keep their names")
        func sameNames() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await berta.publish("note")
                _ = try await anna.takeOver("note")
                try await berta.service.rename(to: "Anna")
                try await anna.knows(["Anna", "anna"])
                let label = "Anna (\(await berta.identityID))"
                #expect(await anna.service.offers().map(\.deviceName) == [label])
                #expect(try await anna.takeOver("note").deviceName == label)
                #expect(try await anna.service.ping(berta.identityID.description).deviceName == label)
            }
        }
    }
}
