// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import BatonProtocol

@Suite struct HailTests {
    let anna = DeviceIdentity()
    let berta = DeviceIdentity()
    let carla = DeviceIdentity()
    let circle = CircleID(founder: DeviceIdentity().id)
    let now: Int64 = 1_800_000_000

    func key(_ own: DeviceIdentity, _ peer: DeviceIdentity) throws -> PairwiseKey {
        try #require(PairwiseKey(own: own, peer: peer.keys, circle: circle))
    }

    func listener(_ own: DeviceIdentity, _ others: [DeviceIdentity]) throws -> HailListener {
        var listener = HailListener()
        listener.keysChanged(Dictionary(uniqueKeysWithValues: try others.map { ($0.id, try key(own, $0)) }))
        return listener
    }

    func beacon(of device: DeviceIdentity) -> Beacon {
        Beacon(device: device.id.short, activity: .none, flags: [], sequence: 0, psm: 0x80)
    }

    @Test func onlyTheDeviceThatIsHailedHearsIt() throws {
        var annas = try listener(anna, [berta, carla])
        var bertas = try listener(berta, [anna, carla])
        var carlas = try listener(carla, [anna, berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        let received = bertas.received(bytes, at: now, uptime: .zero)
        let heard = try #require(received)
        #expect(heard.device == anna.id && heard.beacon == beacon(of: anna))
        #expect(carlas.received(bytes, at: now, uptime: .zero) == nil)
        // Its own echo is nobody's hail.
        #expect(annas.received(bytes, at: now, uptime: .seconds(1)) == nil)
        #expect(annas.seal(beacon(of: anna), to: DeviceIdentity().id, at: now) == nil)
    }

    @Test func hailIsNoBeaconOfTheCircle() throws {
        var annas = try listener(anna, [berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var cipher = BeaconCipher(secret: CircleSecret())
        #expect(cipher.open(bytes, at: now) == nil)
        var same = BeaconCipher(secret: try #require(CircleSecret(bytes: key(anna, berta).secretBytes)))
        #expect(same.open(bytes, at: now) == nil, "the labels differ")
    }

    @Test func replayedHailIsGoodFor30MinutesAtMost() throws {
        var annas = try listener(anna, [berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var bertas = try listener(berta, [anna])
        #expect(bertas.received(bytes, at: now + 1_800, uptime: .zero) == nil)
    }

    @Test func atMostFiveUnknownAdvertisementsASecondAreTried() throws {
        var annas = try listener(anna, [berta])
        var bertas = try listener(berta, [anna])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var noise = [UInt8](repeating: 1, count: 24)
        #expect(bertas.received(noise, at: now, uptime: .zero) == nil)
        #expect(bertas.received(bytes, at: now, uptime: .milliseconds(199)) == nil)
        // Bytes that were tried already cost no trial.
        #expect(bertas.received(noise, at: now, uptime: .milliseconds(200)) == nil)
        #expect(bertas.received(bytes, at: now, uptime: .milliseconds(200)) != nil)
        noise[1] = 2
        for length in [0, 23, 25] {
            #expect(bertas.received([UInt8](repeating: 1, count: length), at: now, uptime: .seconds(9)) == nil)
        }
    }

    @Test func eachIsHailedInTurnAndLessAndLessOften() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id, berta.id], at: .zero)
        let slot = HailSchedule.slot
        let first = [anna.id, berta.id].sorted()
        #expect(schedule.device(at: .zero, slot: slot) == first[0])
        #expect(schedule.device(at: .seconds(29), slot: slot) == first[0])
        #expect(schedule.device(at: .seconds(30), slot: slot) == first[1])
        #expect(schedule.device(at: .seconds(60), slot: slot) == nil)
        #expect(schedule.nextDeadline == .seconds(90))
        #expect(schedule.device(at: .seconds(90), slot: slot) == first[0])
        schedule.targetsChanged([first[1]], at: .seconds(91))
        #expect(schedule.device(at: .seconds(91), slot: slot) == nil)
        #expect(schedule.device(at: .seconds(120), slot: slot) == first[1])
        var times: [Duration] = []
        var now = Duration.seconds(150)
        while times.count < 8 {
            now = schedule.nextDeadline ?? now
            if schedule.device(at: now, slot: slot) != nil {
                times.append(now)
                now += slot
                _ = schedule.device(at: now, slot: slot)
            }
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 - slot }
        #expect(pauses.last == HailSchedule.longestPause)
        #expect(pauses == pauses.sorted())
        schedule.beginAnew(at: now)
        #expect(schedule.device(at: now, slot: slot) == first[1])
    }

    @Test func hailGivesWayAndIsTakenUpAgain() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id], at: .zero)
        #expect(schedule.device(at: .zero, slot: HailSchedule.slot) == anna.id)
        schedule.breakOff(at: .seconds(5))
        #expect(schedule.device(at: .seconds(5), slot: HailSchedule.slot) == nil)
        #expect(schedule.device(at: .seconds(65), slot: HailSchedule.slot) == anna.id)
    }
}
