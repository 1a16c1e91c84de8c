// SPDX-License-Identifier: Apache-2.0

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

    @Test("Only the hailed device opens the hail")
    func onlyTheHailedHears() throws {
        var annas = try listener(anna, [berta, carla])
        var bertas = try listener(berta, [anna, carla])
        var carlas = try listener(carla, [anna, berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        let received = bertas.received(bytes, at: now, uptime: .zero)
        let heard = try #require(received)
        #expect(heard.device == anna.id && heard.beacon == beacon(of: anna))
        #expect(carlas.received(bytes, at: now, uptime: .zero) == nil)
        // A device does not mistake its own hail for a hail to itself.
        #expect(annas.received(bytes, at: now, uptime: .seconds(1)) == nil)
        #expect(annas.seal(beacon(of: anna), to: DeviceIdentity().id, at: now) == nil)
    }

    @Test("A hail is not a beacon of the circle")
    func hailIsNoBeaconOfTheCircle() throws {
        var annas = try listener(anna, [berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var cipher = BeaconCipher(secret: CircleSecret())
        #expect(cipher.open(bytes, at: now) == nil)
        var same = BeaconCipher(secret: try #require(CircleSecret(bytes: key(anna, berta).secretBytes)))
        #expect(same.open(bytes, at: now) == nil, "the labels differ")
    }

    @Test("A replayed hail is valid for at most 30 minutes")
    func replayedHail() throws {
        var annas = try listener(anna, [berta])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var bertas = try listener(berta, [anna])
        #expect(bertas.received(bytes, at: now + 1_800, uptime: .zero) == nil)
    }

    @Test("At most five unknown advertisements a second are tried")
    func fiveTrialsASecond() throws {
        var annas = try listener(anna, [berta])
        var bertas = try listener(berta, [anna])
        let sealed = annas.seal(beacon(of: anna), to: berta.id, at: now)
        let bytes = try #require(sealed)
        var noise = [UInt8](repeating: 1, count: 24)
        #expect(bertas.received(noise, at: now, uptime: .zero) == nil)
        #expect(bertas.received(bytes, at: now, uptime: .milliseconds(199)) == nil)
        // Bytes that were tried before do not count as a trial.
        #expect(bertas.received(noise, at: now, uptime: .milliseconds(200)) == nil)
        #expect(bertas.received(bytes, at: now, uptime: .milliseconds(200)) != nil)
        noise[1] = 2
        for length in [0, 23, 25] {
            #expect(bertas.received([UInt8](repeating: 1, count: length), at: now, uptime: .seconds(9)) == nil)
        }
    }

    @Test("Each device is hailed in turn, with growing pauses")
    func hailsBecomeRare() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id, berta.id], at: .zero)
        let slot = HailSchedule.slot
        let first = [anna.id, berta.id].sorted()
        #expect(schedule.device(at: .zero) == first[0])
        #expect(schedule.device(at: .seconds(29)) == first[0])
        #expect(schedule.device(at: .seconds(30)) == first[1])
        #expect(schedule.device(at: .seconds(60)) == nil)
        #expect(schedule.nextDeadline == .seconds(90))
        #expect(schedule.device(at: .seconds(90)) == first[0])
        schedule.targetsChanged([first[1]], at: .seconds(91))
        #expect(schedule.device(at: .seconds(91)) == nil)
        #expect(schedule.device(at: .seconds(120)) == first[1])
        var times: [Duration] = []
        var now = Duration.seconds(150)
        while times.count < 8 {
            now = schedule.nextDeadline ?? now
            if schedule.device(at: now) != nil {
                times.append(now)
                now += slot
                _ = schedule.device(at: now)
            }
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 - slot }
        #expect(pauses.last == HailSchedule.longestPause)
        #expect(pauses == pauses.sorted())
        schedule.beginAnew(at: now)
        #expect(schedule.device(at: now) == first[1])
    }

    @Test("After a removal each device is hailed for a minute, except while an activity is advertised")
    func removal() {
        var schedule = HailSchedule()
        schedule.tellsRemoval = true
        schedule.targetsChanged([berta.id], at: .zero)
        #expect(schedule.device(at: .zero) == berta.id)
        #expect(schedule.nextDeadline == .seconds(60))
        schedule.breakOff(at: .seconds(10))
        schedule.activityChanged(isAdvertised: true, at: .seconds(10))
        #expect(schedule.device(at: .seconds(70)) == berta.id)
        #expect(schedule.nextDeadline == .seconds(80))
    }

    @Test("A hail gives way to an activity, and continues later")
    func hailGivesWay() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id], at: .zero)
        #expect(schedule.device(at: .zero) == anna.id)
        schedule.breakOff(at: .seconds(5))
        #expect(schedule.device(at: .seconds(5)) == nil)
        #expect(schedule.device(at: .seconds(65)) == anna.id)
    }

    @Test("A device that a program waits for is hailed first, again and again")
    func awaitedComesFirst() {
        var schedule = HailSchedule()
        // The device was hailed twice before, and is due in minutes.
        schedule.targetsChanged([berta.id], at: .zero)
        #expect(schedule.device(at: .zero) == berta.id && schedule.device(at: .seconds(30)) == nil)
        #expect(schedule.device(at: .seconds(90)) == berta.id)
        schedule.targetsChanged([anna.id, berta.id], at: .seconds(91))
        #expect(schedule.device(at: .seconds(120)) == anna.id)
        schedule.targetsChanged([anna.id, berta.id, carla.id], awaited: [berta.id, carla.id], at: .seconds(121))
        let order = [berta.id, carla.id].sorted()
        var hailed: [DeviceID?] = []
        for second in 121...150 { hailed.append(schedule.device(at: .seconds(second))) }
        #expect(hailed == (0..<30).map { order[$0 / 10 % 2] })
        // After that the order is as before, because the wait has made no pause longer.
        schedule.targetsChanged([anna.id, berta.id], at: .seconds(151))
        #expect(schedule.device(at: .seconds(151)) == berta.id)
        #expect(schedule.device(at: .seconds(181)) == anna.id)
        schedule.targetsChanged([berta.id], at: .seconds(182))
        #expect(schedule.device(at: .seconds(182)) == nil && schedule.nextDeadline == .seconds(181 + 240))
    }

    @Test("An awaited device does not keep an activity off the air for longer than another")
    func awaitedAndActivity() {
        var schedule = HailSchedule()
        schedule.activityChanged(isAdvertised: true, at: .zero)
        schedule.targetsChanged([anna.id], at: .zero)
        #expect(schedule.device(at: .seconds(20)) == anna.id)
        schedule.targetsChanged([anna.id, berta.id], awaited: [berta.id], at: .seconds(25))
        #expect(schedule.device(at: .seconds(25)) == nil && schedule.nextDeadline == .seconds(45))
        #expect(schedule.device(at: .seconds(45)) == berta.id)
        // Another activity interrupts an awaited device's hail, too, but the device stays awaited.
        schedule.breakOff(at: .seconds(46))
        #expect(schedule.device(at: .seconds(65)) == nil && schedule.device(at: .seconds(66)) == berta.id)
        #expect(schedule.device(at: .seconds(76)) == nil)
    }

    @Test("An activity is on the air for 20 seconds between two hails")
    func airtimeBetweenHails() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id, berta.id, carla.id], at: .zero)
        schedule.activityChanged(isAdvertised: true, at: .zero)
        let order = [anna.id, berta.id, carla.id].sorted()
        var hailed: [(at: Duration, device: DeviceID?)] = []
        var now = Duration.zero
        while now <= .seconds(90) {
            let device = schedule.device(at: now)
            if device != hailed.last?.device { hailed.append((now, device)) }
            now += .seconds(1)
        }
        #expect(hailed.map(\.at) == [20, 30, 50, 60, 80, 90].map { .seconds($0) })
        #expect(hailed.map(\.device) == [order[0], nil, order[1], nil, order[2], nil])
    }

    @Test("A member's answer does not shorten the activity's time on the air before the next hail")
    func answeringMember() {
        var schedule = HailSchedule()
        schedule.targetsChanged([anna.id, berta.id], at: .zero)
        schedule.activityChanged(isAdvertised: true, at: .zero)
        let first = schedule.device(at: .seconds(20))
        #expect(first != nil)
        schedule.targetsChanged(Set([anna.id, berta.id].filter { $0 != first }), at: .seconds(25))
        #expect(schedule.device(at: .seconds(25)) == nil)
        #expect(schedule.nextDeadline == .seconds(45))
        #expect(schedule.device(at: .seconds(45)) != nil)
    }

    /// Dozens of silent members and activities come and go. Everything that is advertised is on the
    /// air long enough to be heard.
    @Test("In random histories activities stay on the air", arguments: UInt64(1)...40)
    func activitiesAreOnTheAir(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let devices = (0..<60).map { _ in DeviceIdentity().id }
        var (schedule, now) = (HailSchedule(), Duration.zero)
        var (isAdvertised, isHailed) = (false, false)
        /// When the activity went on the air, when it went off the air, and whether a hail ended at
        /// that time.
        var (airedSince, silentSince, wasHailed) = (Duration.zero, Duration.zero, false)
        var hails = 0
        func some() -> Set<DeviceID> { Set(devices.prefix(.random(in: 0...60, using: &random))) }
        schedule.targetsChanged(Set(devices), at: now)
        for _ in 0..<2_000 {
            switch Int.random(in: 0...19, using: &random) {
            case 0:
                isAdvertised.toggle()
                schedule.activityChanged(isAdvertised: isAdvertised, at: now)
                if isAdvertised { schedule.breakOff(at: now) }
                (airedSince, isHailed, wasHailed) = (now, isHailed && !isAdvertised, false)
            case 1 where isAdvertised:
                // This is another activity.
                schedule.activityChanged(isAdvertised: true, at: now)
                schedule.breakOff(at: now)
                if isHailed { (airedSince, isHailed, wasHailed) = (now, false, true) }
            case 2: schedule.targetsChanged(some(), at: now)
            case 3: schedule.beginAnew(at: now)
            default:
                let next = schedule.nextDeadline ?? now + .seconds(60)
                #expect(next > now || schedule.device(at: now) != nil, "a deadline that is over, with nothing to do")
                now = Bool.random(using: &random) ? max(now, next) : now + (max(.zero, next - now) / 2)
            }
            let device = schedule.device(at: now)
            if !isHailed, device != nil {
                hails += 1
                if isAdvertised, wasHailed { #expect(now - airedSince >= HailSchedule.airtime) }
                (silentSince, isHailed) = (now, true)
            } else if isHailed, device == nil {
                (airedSince, isHailed, wasHailed) = (now, false, true)
            }
            if isAdvertised, isHailed { #expect(now - silentSince < HailSchedule.shortSlot) }
        }
        #expect(hails > 20)
    }

    @Test("Every member is hailed, even if there is always an activity to advertise")
    func everyMemberIsHailed() {
        let devices = Set((0..<127).map { _ in DeviceIdentity().id })
        var schedule = HailSchedule()
        schedule.activityChanged(isAdvertised: true, at: .zero)
        schedule.targetsChanged(devices, at: .zero)
        var (now, silent, hailed) = (Duration.zero, Duration.zero, Set<DeviceID>())
        while now < .seconds(7_200) {
            let device = schedule.device(at: now)
            if let device { hailed.insert(device) }
            let next = schedule.nextDeadline ?? now
            #expect(next > now)
            if device != nil { silent += next - now }
            now = next
        }
        // The hails take half a minute each.
        #expect(hailed == devices)
        #expect(silent * 3 <= now + HailSchedule.slot)
    }
}
