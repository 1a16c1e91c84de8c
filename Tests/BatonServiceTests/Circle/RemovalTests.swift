// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests that a removed device is excluded from the circle, and learns of its removal.
    struct RemovalTests {
        @Test("A removal reaches all members, changes the secret, and excludes the removed device, whatever it tries")
        func removal() async throws {
            try await World.with { world in
                let (anna, berta, carla) = try await world.three()
                try await berta.knows(["anna", "berta", "carla"])
                try await carla.publish("hers")
                _ = try await berta.takeOver("hers")
                _ = try await anna.offer(ofType: "hers")
                let bertaID = await berta.identityID
                let old = await carla.service.circle?.secret
                let credential = try await carla.credential(of: anna)
                let credentials = [credential, try await carla.credential(of: berta)]
                let keys = await carla.service.identity
                let hers = try #require(await carla.radio.payload)

                let carlaID = await carla.identityID
                let roster = try #require(await carla.service.circle).encoded()
                var hailing = BeaconCipher(hailing: credential.key)
                let time = SystemClock().unixTime
                let hail = hailing.seal(
                    Beacon(device: carlaID.short, activity: .none, flags: [], sequence: 0, psm: 0x90), at: time)
                /// Returns the device whose hail is heard. Uses a copy of the listener, so that
                /// earlier trials do not count.
                func hailer() async -> DeviceID? {
                    var listener = await anna.service.sightings.hailListener
                    return listener.received(hail, at: time, uptime: .seconds(1_000_000_000))?.device
                }
                #expect(await hailer() == carlaID)

                #expect(try await anna.service.removeDevice("carla").member.name == "carla")
                try await anna.until("her channels are closed", after: .traceLine) {
                    await anna.service.peers.links.open.allSatisfy { $0.channel.peer == .member(bertaID) }
                }
                try await anna.withdrawal(ofType: "hers")
                try await berta.knows(["anna", "berta"])
                try await berta.withdrawal(ofType: "hers")
                try await anna.until("one new secret", after: .stateWrite) {
                    let (one, two) = await (anna.service.circle?.secret, berta.service.circle?.secret)
                    return one == two && one != old
                }
                // From the first contact on, carla counts as a stranger and her beacon as noise,
                // even if she keeps the keys that she should delete.
                try await carla.endOfCircle()
                try await carla.service.channels.certificate.renew(identity: keys)
                for (device, credential) in zip([anna, berta], credentials) {
                    _ = try await device.service.invite()
                    await #expect(throws: ChannelFailure.refused) {
                        try await carla.service.channels.dial(
                            device.door, over: carla.radio,
                            credential: credential, timeout: .seconds(30))
                    }
                    #expect(await device.service.opened(hers) == nil)
                }
                // Carla's hail counts as noise, too. The old roster that carla can still send does
                // not restore her membership.
                #expect(await hailer() == nil)
                for device in [anna, berta] {
                    await device.service.mergeCircle(roster, from: carlaID)
                    #expect(await device.memberNames == ["anna", "berta"])
                }
                try await anna.publish("after")
                _ = try await berta.offer(ofType: "after")
                let annas = try #require(await anna.radio.payload)
                #expect(await carla.service.opened(annas) == nil)
                // After a restart, carla still counts as a stranger.
                await anna.service.stop()
                let again = try await world.device("anna")
                #expect(await again.memberNames == ["anna", "berta"])
                _ = try await again.service.invite()
                await #expect(throws: ChannelFailure.refused) {
                    try await carla.service.channels.dial(
                        again.door, over: carla.radio, credential: credential, timeout: .seconds(30))
                }
            }
        }

        @Test(
            "A device that is removed while connected learns of it and reports who removed it, even after a restart"
        )
        func removedLearns() async throws {
            try await World.with { world in
                let (anna, berta, carla) = try await world.three()
                try await berta.knows(["anna", "berta", "carla"])
                try await anna.publish("note")
                let offer = try await carla.offer(ofType: "note")
                _ = try await carla.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                _ = try await anna.service.removeDevice("carla")
                try await carla.endOfCircle()
                #expect(await carla.service.offers().isEmpty)
                let why = Finding(.removed, ["laptop": "anna"])
                #expect(await carla.service.status().findings.contains(why))
                await carla.service.stop()
                let again = try await world.device("carla")
                #expect(await again.service.status().findings.contains(why))
            }
        }

        @Test("A device that learns from a third device of its removal is in no circle, and reports the reason")
        func learnsOfItsRemoval() async throws {
            try await World.withThree { anna, _, carla in
                var told = try #require(await anna.service.circle)
                try told.remove(await carla.service.identity.id, by: await anna.service.identity)
                await carla.service.mergeCircle(try told.encoded(), from: await anna.service.identity.id)
                let status = await carla.service.status()
                #expect(status.circle == nil)
                #expect(status.withoutCircle?.code == "removed")
            }
        }

        @Test("A device that has had no contact for a day reports that it may have been removed")
        func alone() async throws {
            try await World.withPair { anna, _, clock in
                func isSaid() async -> Bool {
                    await anna.service.status().findings.contains { $0.code == "out-of-touch" }
                }
                clock.setUnixTime(clock.unixTime + 86_000)
                #expect(await !isSaid())
                clock.setUnixTime(clock.unixTime + 400)
                #expect(await isSaid())
            }
        }

        @Test("A device that is removed while streams to it are being opened gets no streams")
        func removedWhileStreamsOpen() async throws {
            // Time passes only while this test waits, because with a running clock the radio would
            // be tried too.
            try await World.with { world, clock in
                let anna = try await world.device("anna", tcp: true, clock: clock)
                var wrapped: FailingTCP?
                let berta = try await world.device(
                    "berta", tcp: true, clock: clock,
                    wrapTCP: { tcp in
                        let failing = FailingTCP(tcp)
                        wrapped = failing
                        return failing
                    })
                let tcp = try #require(wrapped)
                try await anna.makeCircle(with: berta)
                try await anna.publish("draw", streams: true)
                let continued = try await berta.takeOver("draw")
                tcp.fail(by: .held)
                let opening = Task { try await berta.openStreams(continued.continuation) }
                for await _ in tcp.failures { break }
                // Without a connection, the device does not learn of its removal and still answers.
                // If the device must report an acceptance, it opens a new link.
                try await Device.endLinks(of: berta)
                _ = try await berta.service.removeDevice("anna")
                tcp.release()
                await #expect(throws: (any Error).self) { try await opening.value }
                #expect(await berta.service.streams.channels.allSatisfy { !$0.channel.isActive })
            }
        }

        @Test("A removed device can use neither a channel nor a token from before its removal")
        func channelFromBefore() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("draw", streams: true)
                let continued = try await berta.takeOver("draw")
                let instance = try await berta.service.parts(of: continued.continuation).instance
                let link = try await berta.service.link(to: anna.identityID)
                let token = try await link.openStreams(to: instance, timeout: .seconds(30)).token
                let first: [Frame] = [
                    .attach(Attach(token: token, generation: 1, nextOffset: 0, window: 1_000)),
                    .hello(await berta.service.hello()), .trial,
                ]
                var channels: [SecureChannel] = []
                for _ in first { channels.append(try await berta.dial(anna)) }
                _ = try await anna.service.removeDevice("berta")
                for (channel, frame) in zip(channels, first) {
                    channel.send(frame)
                    await #expect(throws: ChannelFailure.self, "\(frame.kind)") {
                        try await channel.nextFrame(within: .seconds(30))
                    }
                }
                #expect(await anna.service.counts["streams"] == 0)
                #expect(!anna.untaken.contains { if case .streamsOpened = $0 { true } else { false } })
            }
        }

        @Test("A hello that removes its own sender from the circle has no other effect")
        func takesItselfOut() async throws {
            try await World.withReachablePair { anna, berta in
                try await berta.publish("note")
                _ = try await anna.takeOver("note")
                let link = try #require(await anna.service.peers.links.open.first)
                let bertaID = await berta.identityID
                var circle = try #require(await berta.service.circle)
                try circle.remove(bertaID, by: await berta.service.identity)
                // Carla's clock differs, which usually makes anna answer with a hello that contains
                // her time and the new secret.
                var farewell = await berta.service.hello()
                farewell.circle = try circle.encoded()
                farewell.unixTime += 7_200
                await anna.service.link(link, said: farewell)
                #expect(await anna.memberNames == ["anna"])
                let (clocks, moment) = await (anna.service.peers.clocks, anna.service.moment)
                #expect(clocks.differences(at: moment).isEmpty)
            }
        }
    }
}
