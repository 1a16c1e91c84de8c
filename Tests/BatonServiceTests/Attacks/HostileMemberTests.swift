// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests the limits on the costs that a member can cause with frames. Carla is the hostile
    /// member.
    struct HostileMemberTests {
        @Test("A member that repeatedly announces 5 × 256 types removes no type from another's offer")
        func floodOfTypes() async throws {
            try await World.withThree { anna, berta, carla in
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
                    // The type of a present offer stays known in any case, so check again after the
                    // offer has disappeared and returned.
                    #expect(await anna.service.offers(afterLossOf: berta.radio.address).isEmpty)
                    _ = try await anna.offer("berta's, again") { $0.offer == offer.offer }
                }
                speaker.close()
            }
        }

        @Test("Devices that one device took in share 32 control channels, and each of them may have one")
        func linksOfAnAccount() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(clock: clock)
                _ = try await anna.service.invite()
                let names = (1...5).map { "made-up-\($0)" }
                var madeUp: [Device] = []
                for name in names {
                    let device = try await world.device(name, clock: clock)
                    try await device.service.joinCircle(berta.service.invite().text)
                    madeUp.append(device)
                }
                try await anna.knows(["anna", "berta"] + names)
                // A device's own channel would count only until the first of the others replaces
                // it.
                for device in [anna, berta] + madeUp { await device.dialsEnd() }
                try await Device.endLinks(of: [anna, berta] + madeUp)
                var (speakers, refused): ([Speaker], Int) = ([], 0)
                for device in madeUp {
                    for _ in 0..<HandoffService.maximumLinksPerDevice {
                        do {
                            speakers.append(try await Speaker(device, at: anna))
                            try await speakers.last?.say()
                        } catch { refused += 1 }
                    }
                }
                let account = await anna.service.peers[madeUp[0].identityID].account
                #expect(account == (await berta.identityID))
                let open = await anna.service.peers.links.openCount { _ in true }
                #expect(open == HandoffService.maximumLinksPerAccount + 1 && refused > 0)
                for speaker in speakers { speaker.close() }
            }
        }

        @Test("A clock that jumps in each hello causes one log line, one answer and one search in ten minutes")
        func jumpingClock() async throws {
            let (clock, log) = (ManualClock(), KeptLog())
            try await World.withPair(clock: clock, logger: log.logger) { anna, berta in
                _ = try await anna.service.invite()
                let device = await berta.identityID
                func lines() -> Int { log.lines.count { $0.contains("The clock of \"berta\" is ") } }
                func difference() async -> Int64? {
                    await anna.service.peers.clocks.difference(of: device, at: anna.service.moment)
                }
                let speaker = try await Speaker(berta, at: anna)
                try await speaker.say()
                var answers = 0
                for number: Int64 in 1...200 {
                    speaker.hello.unixTime = clock.unixTime + number * 86_400
                    answers += try await speaker.say().count
                    #expect(await difference() == number * 86_400, "the newest time counts")
                }
                #expect(lines() == 1 && answers == 1)
                #expect(log.lines.contains { $0.contains("The clock of \"berta\" is 1 day ahead.") })
                speaker.close()
                clock.advance(by: ClockNewsPace.limit.interval)
                // The change is reported once the interval has passed, without another hello.
                try await log.holds(2, with: "The clock of \"berta\" is ")
                #expect(log.lines.contains { $0.contains("The clock of \"berta\" is 200 days ahead.") })
            }
        }

        @Test("A clock that drifts in small steps is reported as soon as the steps add up to the limit")
        func creepingClock() {
            var clocks = PeerClocks()
            let device = DeviceIdentity().id
            let moment = BeaconAdvertiser.Moment(unixTime: 1_800_000_000, uptime: .zero)
            let news = (1...6).map { clocks.learnt(device, shows: moment.unixTime + 200 * $0, at: moment) }
            #expect(news == [false, true, false, true, false, true])
        }
    }
}

extension HandoffService {
    /// Returns the offers after an address was lost, and before any beacon is heard again.
    fileprivate func offers(afterLossOf address: String) async -> [OfferSummary] {
        await radioEvent(.lost(address: address))
        return offers()
    }
}
