// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import BatonService

extension ServiceTests {
    struct DiallingTests {
        @Test("A dial that was refused for a reason of the moment is made anew, on a fresh link", arguments: [1, 2])
        func refusedAtFirst(refusals: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = refusals
                try await berta.service.joinCircle(anna.service.invite().text)
                #expect(radio.refusals == 0)
                #expect(radio.dropped.count == refusals)
            }
        }

        @Test("A channel that was reset before it was secure is dialled anew, thrice at most", arguments: [2, 3])
        func resetAtFirst(resets: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.resets = resets
                let invitation = try await anna.service.invite().text
                if resets < 3 { return try await berta.service.joinCircle(invitation) }
                let error = await #expect(throws: ServiceError.self) {
                    try await berta.service.joinCircle(invitation)
                }
                #expect(error.map { "\($0)" }?.contains("closed the channel without an answer") == true)
            }
        }

        @Test("After three dials that were refused the error says what the radio said")
        func refusedThrice() async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.refusals = 4
                let invitation = try await anna.service.invite().text
                let error = await #expect(throws: ServiceError.self) {
                    try await berta.service.joinCircle(invitation)
                }
                #expect(error.map { "\($0)".contains("ECONNREFUSED") } == true)
                #expect(radio.refusals == 1)
            }
        }

        @Test("A pairing whose channel was closed before a word is dialled anew, thrice at most", arguments: [2, 3])
        func hungUpBeforeAWord(hangUps: Int) async throws {
            try await World.with { world in
                let (anna, berta, radio) = try await Self.strangers(in: world)
                radio.hangUps = hangUps
                let waiting = Task { try await anna.service.pair(address: nil, client: Device.app) }
                defer { waiting.cancel() }
                try await eventually("the door is open") { await anna.service.channels.pairingDoor.isOpen }
                let dialling = Task { try await berta.service.pair(endpoint: anna.door, client: Device.app) }
                guard hangUps < 3 else {
                    await #expect(throws: ServiceError.self) { try await dialling.value }
                    return
                }
                #expect(try await dialling.value.digits == waiting.value.digits)
            }
        }

        /// A device with a circle, one without, and the latter's radio.
        private static func strangers(in world: World) async throws -> (Device, Device, RefusingRadio) {
            let refusing = Mutex<RefusingRadio?>(nil)
            let anna = try await world.device("anna")
            let berta = try await world.device("berta") { radio in
                let made = RefusingRadio(radio)
                refusing.withLock { $0 = made }
                return made
            }
            try await anna.service.createCircle(name: "")
            let radio = refusing.withLock { $0 }
            return (anna, berta, try #require(radio))
        }
    }
}
