// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests the names of a circle's devices, and the devices that a name selects.
    struct DeviceNameTests {
        @Test("An error about a name says which devices have the name, or that it is this device's own")
        func namesThatNameNoOther() async throws {
            try await World.withPair { anna, _ in
                func refusal(of name: String) async -> BatonError? {
                    await #expect(throws: BatonError.self) { _ = try await anna.service.removeDevice(name) }
                }
                let own = await refusal(of: "anna")
                #expect(own?.code == .invalidArgument)
                #expect(own?.reason == Reason(.removesThisLaptop, ["laptop": "anna"]))
                try await anna.service.rename(to: "berta")
                let either = await refusal(of: "berta")
                let ids = await anna.service.members.map(\.device)
                #expect(either?.code == .invalidArgument)
                #expect(either?.reason == Reason(.laptopAmbiguous, ["laptop": "berta", "others": .list(ids)]))
            }
        }

        @Test("A name must mean exactly one device")
        func ambiguity() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                for text in ["nobody", "", "ANNA"] {
                    let error = await #expect(throws: BatonError.self) { try await anna.service.removeDevice(text) }
                    #expect(error?.code == .notFound)
                }
                let own = await #expect(throws: BatonError.self) { try await anna.service.removeDevice("anna") }
                #expect(own?.code == .invalidArgument && own?.reason?.failure == .removesThisLaptop)
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                try await berta.service.rename(to: "anna")
                try await anna.knows(["anna", "anna"])
                let error = await #expect(throws: BatonError.self) { try await anna.service.removeDevice("anna") }
                #expect(error?.code == .invalidArgument && error?.reason?.failure == .laptopAmbiguous)
                _ = try await anna.service.removeDevice(berta.service.identity.id.description.uppercased())
                #expect(await anna.memberNames == ["anna"])
                let alone = try await world.device("dora")
                let none = await #expect(throws: BatonError.self) { try await alone.service.removeDevice("x") }
                #expect(none?.code == .noCircle)
            }
        }

        @Test("A new name is sent to the circle and stored")
        func renaming() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                try await anna.service.rename(to: "Desk")
                try await berta.knows(["Desk", "berta"])
                let error = await #expect(throws: BatonError.self) { try await anna.service.rename(to: "a\u{7}") }
                #expect(error?.code == .invalidArgument && error?.reason?.failure == .nameUnusable)
                await berta.service.stop()
                let again = try await world.device("berta")
                #expect(await again.memberNames == ["Desk", "berta"])
            }
        }

        @Test("A name with combining characters is sent to the circle, and the device hands over as before")
        func joinedName() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                try await anna.service.rename(to: "👩\u{200D}💻 می\u{200C}خواهم")
                try await berta.knows(["berta", "👩\u{200D}💻 می\u{200C}خواهم"])
                #expect(try await berta.takeOver("note").deviceName == "👩\u{200D}💻 می\u{200C}خواهم")
            }
        }
    }
}
