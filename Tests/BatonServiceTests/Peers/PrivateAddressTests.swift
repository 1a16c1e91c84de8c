// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct PrivateAddressTests {
        @Test("While a channel is open, its address is dialled even if the device is heard at another")
        func oneLinkToADevice() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                let (berta, radio) = try await world.device("berta", clock: clock, radioProxy: { RenamingRadio($0) })
                try await anna.makeCircle(with: berta)
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let linked = try #require(radio.linkedAddress(of: "anna"))
                // The channel for joining may still have been open during the next dial. So count
                // from here.
                let before = radio.secondLinks
                // Another advertisement comes from another address.
                try await anna.publish("org.example.read")
                _ = try await berta.offer(ofType: "org.example.read")
                #expect(radio.address(of: "anna") != linked)
                // Without the link, the new address would be dialled first, because the old one is
                // no longer heard.
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
                // Wait for the streams to be taken, because streams that close before that are
                // lost.
                let taken = try await anna.streamsOpened()
                streams.close()
                taken.close()
            }
        }
    }
}
