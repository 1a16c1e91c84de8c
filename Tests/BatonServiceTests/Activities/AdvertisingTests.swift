// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
@testable import SimulatedTransport
import ActivityModel
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct AdvertisingTests {
        enum Ending: CaseIterable { case resign, invalidate, clientLeft }

        @Test(
            "When the current activity ends, its offer is withdrawn and the activity before it is offered again",
            arguments: Ending.allCases)
        func endings(ending: Ending) async throws {
            try await World.withPair { anna, berta in
                let other = ClientID(rawValue: ":1.2")
                try await anna.publish("first")
                _ = try await berta.offer(ofType: "first")
                let second = try await anna.publish("second", client: other)
                _ = try await berta.offer(ofType: "second")
                #expect(await berta.service.offers().count == 1)
                switch ending {
                case .resign: try await anna.service.resignCurrent(second, client: other)
                case .invalidate: try await anna.service.invalidate(second, client: other)
                case .clientLeft: await anna.service.clientLeft(other)
                }
                _ = try await berta.offer(ofType: "first")
                #expect(await berta.service.offers().map(\.type) == ["first"])
            }
        }

        @Test("A hello names no type of an activity that a rule hides, and none at all while Baton is paused")
        func hiddenTypes() async throws {
            try await World.withPair { anna, _ in
                try await anna.publish("diary")
                try await anna.publish("letter", client: ClientID(rawValue: ":1.2"))
                #expect(Set(await anna.service.hello().types.map(\.type)) == ["diary", "letter"])
                await anna.service.advertise(true) { type, _ in type == "diary" ? Reason(code: "hidden") : nil }
                #expect(await anna.service.hello().types.map(\.type) == ["letter"])
                await anna.service.advertise(false)
                #expect(await anna.service.hello().types.isEmpty)
            }
        }

        @Test("The latest payload is on the air even if the radio accepts an earlier one after it")
        func laterWishStays() async throws {
            try await World.with { world in
                let (anna, radio) = try await world.device("anna", radioProxy: { RefusingRadio($0) })
                try await anna.service.createCircle(name: "")
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                radio.holdNextAdvertisement(until: Task { for await _ in gate {} })
                let first = Task { try await anna.publish("first") }
                try await radio.advertisementWaits()
                // The second advertisement overtakes the first.
                try await anna.publish("second")
                let wanted = await anna.service.advertising.slot.payload
                #expect(radio.aired == wanted)
                open.finish()
                _ = try await first.value
                #expect(radio.aired == wanted && wanted != nil)
            }
        }

        @Test(
            "However long the radio takes for each advertisement, the wanted one is finally on the air",
            arguments: 1...20)
        func dawdlingRadio(seed: UInt64) async throws {
            try await World.with { world in
                let (anna, radio) = try await world.device("anna", radioProxy: { DawdlingRadio($0, seed: seed) })
                try await anna.service.createCircle(name: "")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<10 {
                        group.addTask {
                            let client = ClientID(rawValue: ":1.\(number)")
                            let activity = try await anna.publish("\(number)", client: client)
                            try await anna.service.invalidate(activity, client: client)
                        }
                    }
                    try await group.waitForAll()
                }
                try await anna.publish("last")
                // An earlier call may still be under way. It is repeated.
                while await radio.aired != anna.service.advertising.slot.payload { await Task.yield() }
                while await anna.service.counts["tasks"] != 0 { await Task.yield() }
                #expect(await radio.aired == anna.service.advertising.slot.payload)
            }
        }

        @Test(
            "Background activities are offered only while there is no other, and the one that became current last is first"
        )
        func background() async throws {
            try await World.withPair { anna, berta in
                let (player, radio) = (ClientID(rawValue: ":1.2"), ClientID(rawValue: ":1.3"))
                let document = try await anna.publish("document")
                _ = try await berta.offer(ofType: "document")
                let music = try await anna.publish("music", isBackground: true, client: player)
                try await anna.publish("station", isBackground: true, client: radio)
                #expect(await anna.service.advertisedEntry?.id == document)
                try await anna.service.becomeCurrent(music, client: player)
                #expect(await anna.service.advertisedEntry?.id == document)
                await anna.service.advertise(true) { type, _ in type == "document" ? Reason(code: "hidden") : nil }
                _ = try await berta.offer(ofType: "music")
                try await anna.service.invalidate(music, client: player)
                _ = try await berta.offer(ofType: "station")
                await anna.service.advertise(true)
                _ = try await berta.offer(ofType: "document")
                try await anna.service.resignCurrent(document, client: Device.app)
                _ = try await berta.offer(ofType: "station")
                #expect(await berta.service.offers().map(\.type) == ["station"])
            }
        }

        @Test("When the only activity ends, its offer is withdrawn at once")
        func lastEnds() async throws {
            try await World.withPair { anna, berta in
                let activity = try await anna.publish("only")
                let offer = try await berta.offer(ofType: "only")
                try await anna.service.invalidate(activity, client: Device.app)
                try await berta.withdrawal(ofType: "only")
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                }
                #expect(error?.code == .notFound)
            }
        }

        @Test("An activity is not offered beyond its expiration date")
        func expiry() async throws {
            try await World.withPair { anna, berta, clock in
                var state = ActivityState(activityType: "brief")
                state.expirationDate = Date(timeIntervalSince1970: TimeInterval(clock.unixTime + 100))
                try await anna.publish(state)
                _ = try await berta.offer(ofType: "brief")
                clock.advance(by: .seconds(100))
                try await berta.withdrawal(ofType: "brief")
            }
        }

        @Test("A program that makes an expired activity current gets a warning that no device sees the activity")
        func expired() async throws {
            try await World.withDevice { anna in
                var state = ActivityState(activityType: "late")
                state.expirationDate = Date(timeIntervalSince1970: 1)
                let activity = try await anna.publish(state)
                let reason = try await anna.next("a warning") { event -> Reason? in
                    if case .warning(activity, Device.app, let reason) = event { reason } else { nil }
                }
                #expect(reason.failure == .expired)
            }
        }

        @Test("If the clock is set past an expiration date, the activity is offered at most a minute longer")
        func expiryPassedOver() async throws {
            try await World.withPair { anna, berta, clock in
                var state = ActivityState(activityType: "brief")
                state.expirationDate = Date(timeIntervalSince1970: TimeInterval(clock.unixTime + 3_600))
                try await anna.publish(state)
                _ = try await berta.offer(ofType: "brief")
                clock.setUnixTime(clock.unixTime + 4_000)
                clock.advance(by: BeaconAdvertiser.clockCheckInterval)
                try await berta.withdrawal(ofType: "brief")
            }
        }

        @Test("Hails to silent members are on the air for 10 s at a time, with pauses of 20 s")
        func hailsLeaveAir() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                try await anna.service.createCircle(name: "")
                for name in ["berta", "carla", "dora"] {
                    let device = try await world.device(name, clock: clock)
                    try await device.service.joinCircle(anna.service.invite().text)
                    await device.service.stop()
                }
                try await anna.linksEnd()
                try await anna.publish("note")
                let activity = try #require(await anna.radio.payload)
                // The three members are switched off and do not learn the new name.
                try await anna.service.rename(to: "anne")
                #expect(await anna.service.store.state.unacknowledged.count == 3)
                var changes: [(at: Duration, isHail: Bool)] = []
                while changes.count(where: \.isHail) < 3 {
                    let isHail = await anna.service.advertising.slot.hail != nil
                    if isHail != changes.last?.isHail { changes.append((clock.uptime, isHail)) }
                    #expect(isHail == (await anna.radio.payload != activity))
                    let due = try #require(await anna.service.advertising.hails.nextDeadline)
                    clock.advance(by: max(.zero, due - clock.uptime))
                    try await anna.until("the hails have gone on", after: .sleep, .traceLine) {
                        let hails = await anna.service.advertising.hails
                        return hails.nextDeadline != due
                    }
                    // The radio gets the payload a moment after the schedule has changed.
                    try await anna.until("the air is as it should be", after: .traceLine) {
                        let hail = await anna.service.advertising.slot.hail?.bytes
                        return await anna.radio.payload == hail ?? activity
                    }
                }
                let lengths = zip(changes, changes.dropFirst()).map { (isHail: $0.isHail, length: $1.at - $0.at) }
                #expect(lengths.filter(\.isHail).allSatisfy { $0.length <= HailSchedule.shortSlot })
                #expect(lengths.filter { !$0.isHail }.allSatisfy { $0.length >= HailSchedule.airtime }, "\(changes)")
            }
        }

        @Test("An offer is withdrawn when its device goes out of range, and appears again when the device is back")
        func range() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await anna.publish("near")
                _ = try await berta.offer(ofType: "near")
                var far = AirConditions()
                far.signal = -110
                try world.air.set(far)
                try await berta.withdrawal(ofType: "near")
                world.air.clear()
                let back = try await berta.offer(ofType: "near")
                #expect(back.signal == -50)
            }
        }

        @Test("An offer has the flags of its activity, and follows their updates")
        func flags() async throws {
            try await World.withPair { anna, berta in
                let activity = try await anna.publish("page", streams: true)
                #expect(try await berta.offer(ofType: "page").supportsStreams)
                try await anna.update(activity) {
                    $0.webpageURL = URL(string: "https://example.org/")
                    $0.supportsContinuationStreams = false
                }
                let offer = try await berta.offer("with a web page") { $0.hasWebpage }
                #expect(!offer.supportsStreams && offer.type == "page")
            }
        }

        @Test(
            "The title of an activity is not shown for the next one of its type, even if its end was not seen",
            arguments: [true, false])
        func titles(ends: Bool) async throws {
            try await World.withPair { anna, berta in
                let bank = try await anna.publish("note", title: "Bank")
                _ = try await berta.takeOver("note")
                _ = try await berta.offer("with its title") { $0.title == "Bank" }
                if ends {
                    try await anna.service.invalidate(bank, client: Device.app)
                    try await berta.withdrawal(ofType: "note")
                }
                try await anna.publish("note", title: "Poem")
                _ = try await berta.offer("of the other one") { $0.type == "note" && $0.title == nil }
                _ = try await berta.takeOver("note")
                _ = try await berta.offer("with its title") { $0.title == "Poem" }
            }
        }

        @Test("Updates of userInfo change no beacon and send no frame, so that nobody can see that the user types")
        func typingIsQuiet() async throws {
            try await World.withPair { anna, berta in
                let activity = try await anna.publish("note")
                _ = try await berta.continueOffer(ofType: "note")
                let told = await anna.service.peers.helloPace.told
                let sequence = await anna.service.advertising.advertiser?.current.sequence
                for number in 0..<5 {
                    try await anna.update(activity, needsSave: true) {
                        $0.userInfo = [.string("n"): .int(Int64(number))]
                    }
                }
                #expect(await anna.service.peers.helloPace.told == told)
                #expect(await anna.service.advertising.advertiser?.current.sequence == sequence)
            }
        }
    }
}
