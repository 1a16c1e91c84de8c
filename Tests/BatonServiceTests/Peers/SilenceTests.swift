// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Synchronization
import TCPTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests that a request for which a user waits ends 15 s after the other device's last sign of
    /// life.
    struct SilenceTests {
        @Test("A device that does not answer the dial is given up after exactly 15 s")
        func dialWithoutAnswer() async throws {
            try await World.with { world, clock in
                let (berta, radio, offer) = try await Self.unlinked(in: world, clock)
                radio.mute()
                let continued = Self.continuing(offer, berta)
                _ = try await radio.dialled.wait("a dial") { $0.isEmpty ? nil : () }
                let end = clock.uptime + .seconds(15)
                await clock.waitForMoments { $0.contains(end) }
                clock.advance(by: .milliseconds(14_999))
                #expect(await berta.service.counts["fetches"] == 1)
                clock.advance(by: .milliseconds(1))
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .connectionUnavailable)
                #expect(error?.reason == Reason(.unanswered, ["laptop": "anna"]))
            }
        }

        @Test("A continuation whose time limit ends before the device is reached reports that at the limit")
        func deadlineCoversDialling() async throws {
            try await World.with { world, clock in
                let (berta, radio, offer) = try await Self.unlinked(in: world, clock)
                radio.mute()
                let continued = Self.continuing(offer, berta, timeout: .milliseconds(300))
                let end = clock.uptime + .milliseconds(300)
                await clock.waitForMoments { $0.contains(end) }
                clock.advance(by: .milliseconds(300))
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .connectionUnavailable)
            }
        }

        @Test("A hand-over that is cancelled during the dial ends at once, and the dial continues")
        func cancelledWhileDialling() async throws {
            try await World.with { world, clock in
                let (berta, radio, offer) = try await Self.unlinked(in: world, clock)
                radio.mute()
                let continued = Self.continuing(offer, berta)
                _ = try await radio.dialled.wait("a dial") { $0.isEmpty ? nil : () }
                await berta.service.cancel(offer.offer, client: Device.app)
                let error = await #expect(throws: BatonError.self) { _ = try await continued.value }
                #expect(error?.code == .userCancelled)
                let counts = await berta.service.counts
                #expect(counts["fetches"] == 0 && counts["dialWaiters"] == 0 && counts["dials"] == 1)
                // The next request can use the link that the dial opens.
                let next = Self.continuing(offer, berta)
                radio.unmute()
                #expect(try await next.value.activity.activityType == "note")
                #expect(radio.dialled.value.count == 1)
            }
        }

        @Test("A hand-over waits for an app that takes a minute while the app's device answers pings")
        func slowApp() async throws {
            let (hers, theirs) = (ManualClock(), ManualClock())
            try await World.with { world in
                let anna = try await world.device("anna", clock: hers)
                let berta = try await world.device("berta", clock: theirs)
                try await anna.makeCircle(with: berta)
                let activity = try await anna.publish("note", needsSave: true)
                let offer = try await berta.offer(ofType: "note")
                let continued = Self.continuing(offer, berta)
                _ = try await anna.next("willSave") { if case .willSave = $0 { true } else { nil } }
                let link = try #require(await berta.service.peers.links.open.first)
                for _ in 0..<12 {
                    theirs.advance(by: .seconds(5))
                    let asked = theirs.uptime
                    try await eventually("the ping is answered") { link.channel.signs.latest == asked }
                }
                try await anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                #expect(try await continued.value.activity.activityType == "note")
                #expect(await berta.service.peers.links.open.contains { $0 === link })
            }
        }

        @Test("A device that has lost a link that the other still believes in is accepted when it dials again")
        func linkThatOneSideLost() async throws {
            try await World.with { world, clock in
                let pair = try await world.pair(clock: clock)
                let isInOrder = await pair.0.identityID < pair.1.identityID
                // If there are two links, the one that the device with the smaller id dialled
                // stays.
                let (smaller, larger) = isInOrder ? pair : (pair.1, pair.0)
                for device in [smaller, larger] { try await device.publish("note") }
                let offer = try await larger.offer(ofType: "note")
                _ = try await smaller.offer(ofType: "note")
                try await smaller.until("the one link is the smaller device's", after: .traceLine) {
                    for device in [smaller, larger] { await device.service.breakLinks() }
                    _ = try? await smaller.service.ping(larger.radio.address)
                    let links = await larger.service.peers.links.open
                    return links.map(\.dialler) == [await smaller.identityID]
                }
                await larger.service.loseLinks()
                clock.advance(by: .seconds(10))
                let continued = try await larger.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                #expect(continued.activity.activityType == "note")
                // The request may have arrived over a draining link.
                let links = await smaller.service.peers.links.all
                #expect(links.map(\.dialler) == [await larger.identityID])
            }
        }

        @Test("A link whose other end falls silent is closed after 10 s, and the request uses another transport")
        func deadLink() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", tcp: true, clock: clock)
                let (berta, tcp) = try await world.device("berta", clock: clock, tcpProxy: { MutableTransport($0) })
                try await anna.makeCircle(with: berta)
                let activity = try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                try await berta.until("only the link over TCP is left", after: .traceLine) {
                    for link in await berta.service.peers.links.open where link.traits.kind != .tcp {
                        link.channel.close()
                    }
                    _ = try? await berta.service.ping("anna")
                    return await berta.transports == ["tcp"]
                }
                try await anna.service.update(activity, needsSave: true, client: Device.app) { $0 }
                tcp.mute()
                let continued = Self.continuing(offer, berta)
                let isAsked: (ClientEvent) -> Bool? = { if case .willSave = $0 { true } else { nil } }
                _ = try await anna.next("willSave", isAsked)
                clock.advance(by: .seconds(5))
                try await eventually("the device is pinged, which nobody answers") {
                    await berta.service.peers.links.open.first?.session.localRequests.count == 2
                }
                clock.advance(by: .seconds(5))
                try await berta.until("it is asked again, over the radio", after: .traceLine) {
                    await berta.transports.contains("simulated")
                }
                try await anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                let taken = try await continued.value
                #expect(taken.transport == "simulated")
                #expect(clock.uptime < .seconds(15))
            }
        }

        @Test("If nothing is heard from the first radio address, the next one is dialled after 4 s instead")
        func nextAddress() async throws {
            try await World.with { world, clock in
                let dead = Endpoint(transport: .simulated, address: "dead", port: 0x80)
                let (berta, radio, _) = try await Self.unlinked(in: world, clock, muted: [dead])
                let (credential, alive) = try await Self.heard(by: berta)
                let race = Task { try await berta.service.dialler.race([dead, alive], credential: credential) }
                _ = try await radio.dialled.wait("a dial") { $0 == [dead] ? () : nil }
                clock.advance(by: .milliseconds(3_999))
                for _ in 0..<1_000 { await Task.yield() }
                #expect(radio.dialled.value == [dead])
                clock.advance(by: .milliseconds(1))
                let channel = try await race.value
                #expect(channel.remote == alive && radio.dialled.value == [dead, alive])
                channel.close()
            }
        }

        @Test("If a device is heard at another address while the old one is silent, it is dialled there after 4 s")
        func addressThatWasLeft() async throws {
            try await World.with { world, clock in
                let dead = Endpoint(transport: .simulated, address: "dead", port: 0x80)
                let (berta, radio, _) = try await Self.unlinked(in: world, clock, muted: [dead])
                let (credential, alive) = try await Self.heard(by: berta)
                let heard = Mutex([dead])
                let race = Task {
                    try await berta.service.dialler.race([dead], credential: credential) { heard.withLock { $0 } }
                }
                _ = try await radio.dialled.wait("a dial") { $0 == [dead] ? () : nil }
                // While there are no new endpoints, no endpoint is dialled again.
                clock.advance(by: .seconds(4))
                for _ in 0..<1_000 { await Task.yield() }
                #expect(radio.dialled.value == [dead])
                heard.withLock { $0 = [alive, dead] }
                clock.advance(by: .seconds(4))
                let channel = try await race.value
                #expect(channel.remote == alive && radio.dialled.value == [dead, alive])
                channel.close()
            }
        }

        @Test("Strangers that replay an advertisement from any number of addresses cause three dials")
        func manyAddresses() async throws {
            try await World.with { world, clock in
                let many = (0..<9).map { Endpoint(transport: .simulated, address: "dead\($0)", port: 0x80) }
                let (berta, radio, _) = try await Self.unlinked(in: world, clock, muted: Set(many))
                let (credential, _) = try await Self.heard(by: berta)
                let race = Task { try await berta.service.dialler.race([many[0]], credential: credential) { many } }
                for count in 1...4 {
                    _ = try await radio.dialled.wait("a dial") { $0 == Array(many.prefix(count)) ? () : nil }
                    clock.advance(by: .seconds(4))
                }
                for _ in 0..<1_000 { await Task.yield() }
                #expect(radio.dialled.value.count == 4)
                race.cancel()
                _ = try? await race.value
            }
        }

        @Test("Five of a device's addresses are dialled at once, and the next one when a dial has failed")
        func fewAtOnce() async throws {
            try await World.with { world, clock in
                let many = (0..<9).map { Endpoint(transport: .simulated, address: "dead\($0)", port: 0x80) }
                let (berta, radio, _) = try await Self.unlinked(in: world, clock, muted: Set(many))
                let (credential, _) = try await Self.heard(by: berta)
                let race = Task { try await berta.service.dialler.race(many, credential: credential) }
                for count in 1...Dialler.maximumAtOnce {
                    _ = try await radio.dialled.wait("a dial") { $0 == Array(many.prefix(count)) ? () : nil }
                    clock.advance(by: .seconds(4))
                }
                for _ in 0..<1_000 { await Task.yield() }
                #expect(radio.dialled.value.count == Dialler.maximumAtOnce)
                radio.unmute(many[0])
                _ = try await radio.dialled.wait("the next dial") {
                    $0.contains(many[Dialler.maximumAtOnce]) ? () : nil
                }
                #expect(Set(radio.dialled.value).count == Dialler.maximumAtOnce + 1)
                race.cancel()
                _ = try? await race.value
            }
        }

        /// Returns the credential and the address of the device that is heard.
        private static func heard(by berta: Device) async throws -> (PeerCredential, Endpoint) {
            let device = try #require(await berta.service.sightings.book.offers.first?.device)
            let anna = try #require(await berta.service.member(short: device))
            let credential = try #require(await berta.service.keyring.credential(of: anna))
            return (credential, try #require(await berta.service.endpoints(of: anna).first))
        }

        /// Returns a device that hears another of its circle, and has no link to it.
        static func unlinked(
            in world: World, _ clock: ManualClock, muted: Set<Endpoint> = []
        ) async throws -> (Device, MutableTransport<SimulatedRadio>, OfferSummary) {
            let anna = try await world.device("anna", clock: clock)
            let (berta, radio) = try await world.device(
                "berta", clock: clock, radioProxy: { MutableTransport($0, muted: muted) })
            try await anna.makeCircle(with: berta)
            try await anna.publish("note")
            let offer = try await berta.offer(ofType: "note")
            try await berta.until("no connection is left", after: .traceLine) {
                await berta.service.breakLinks()
                await berta.dialsEnd()
                return await berta.service.counts["openLinks"] == 0
            }
            radio.dialled.change { $0 = [] }
            return (berta, radio, offer)
        }

        private static func continuing(
            _ offer: OfferSummary, _ berta: Device, timeout: Duration? = nil
        ) -> Task<ContinuedActivity, any Error> {
            Task { try await berta.service.continueOffer(offer.offer, timeout: timeout, client: Device.app) }
        }
    }
}

extension HandoffService {
    /// Retires the present links without telling the other devices.
    fileprivate func loseLinks() { for link in peers.links.all { peers.links.retire(link) } }
}
