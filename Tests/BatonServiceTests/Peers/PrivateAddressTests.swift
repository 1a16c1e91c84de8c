// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Synchronization
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct PrivateAddressTests {
        @Test("While a channel is open, a device is dialled by the address of that, though it is heard by another")
        func oneLinkToADevice() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let renaming = Mutex<RenamingRadio?>(nil)
                let anna = try await world.device("anna", clock: clock)
                let berta = try await world.device("berta", clock: clock) { radio in
                    let made = RenamingRadio(radio)
                    renaming.withLock { $0 = made }
                    return made
                }
                let made = renaming.withLock { $0 }
                let radio = try #require(made)
                try await anna.service.createCircle(name: "")
                try await berta.service.joinCircle(anna.service.invite().text)
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let linked = try #require(radio.linkedAddress(of: "anna"))
                // The channel that it joined over may have ended later than the next one was
                // dialled.
                let before = radio.secondLinks
                // Another advertisement, by another address.
                try await anna.publish("org.example.read")
                _ = try await berta.offer(ofType: "org.example.read")
                #expect(radio.address(of: "anna") != linked)
                // The one in use is heard no more: the other would come first.
                clock.advance(by: OfferLimits.addressPatience)
                let short = await anna.identityID.short
                try await berta.until("the other address comes first", after: .radioEvent) {
                    let first = await berta.service.sightings.book.heard(short).first
                    return first.map { $0.address != linked } ?? false
                }
                let ways = await berta.service.endpoints(of: anna.identityID)
                #expect(ways.first?.address == linked && ways.count > 1)
                let streams = try await berta.openStreams(continued.continuation)
                #expect(streams.transport == "simulated")
                #expect(radio.linkedAddress(of: "anna") == linked)
                #expect(radio.secondLinks == before)
                // A close is no end: streams that are closed before they are taken are gone.
                let taken = try await anna.streamsOpened()
                streams.close()
                taken.close()
            }
        }
    }
}
