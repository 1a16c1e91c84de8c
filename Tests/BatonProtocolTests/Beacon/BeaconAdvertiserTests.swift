// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// A fake service that carries out an advertiser's actions and reads the present advertisement.
private struct Station {
    var advertiser: BeaconAdvertiser
    var cipher: BeaconCipher
    var unixTime: Int64 = 1_795_230_000
    var uptime = Duration.seconds(100)
    var persisted: [UInt32] = []
    var onAir: [UInt8]?
    /// The number of calls to the radio.
    var changes = 0

    init(reserved: UInt32 = 0) throws {
        let secret = try #require(CircleSecret(bytes: [UInt8](repeating: 9, count: 32)))
        advertiser = BeaconAdvertiser(device: 7, secret: secret, reserved: reserved)
        cipher = BeaconCipher(secret: secret)
    }

    var now: BeaconAdvertiser.Moment { .init(unixTime: unixTime, uptime: uptime) }

    var beacon: Beacon? {
        var cipher = cipher
        return onAir.flatMap { cipher.open($0, at: unixTime)?.beacon }
    }

    mutating func carryOut(_ actions: [BeaconAdvertiser.Action]) {
        for action in actions {
            switch action {
            case .reserve(let limit):
                persisted.append(limit)
                carryOut(advertiser.reserved(upTo: limit, at: now))
            case .advertise(let bytes):
                onAir = bytes
                changes += 1
            }
        }
    }

    mutating func activity(_ hash: ActivityHash?, of instance: [UInt8] = [1], _ flags: BeaconFlags = []) {
        carryOut(advertiser.activityChanged(hash, of: instance, flags: flags, at: now))
    }

    mutating func pass(_ seconds: Int64) {
        unixTime += seconds
        uptime += .seconds(seconds)
        carryOut(advertiser.timePassed(at: now))
    }
}

@Suite struct BeaconAdvertiserTests {
    let first: ActivityHash
    let second: ActivityHash

    init() throws {
        first = try #require(ActivityHash(bytes: [1, 1, 1, 1, 1]))
        second = try #require(ActivityHash(bytes: [2, 2, 2, 2, 2]))
    }

    @Test("An advertiser is silent until there is an activity")
    func silentUntilThereIsAnActivity() throws {
        var station = try Station()
        station.pass(10_000)
        #expect(station.changes == 0)
        #expect(station.advertiser.nextDeadline == nil)
        station.activity(first, [.supportsStreams, .ended, .idle])
        #expect(
            station.beacon == Beacon(device: 7, activity: first, flags: [.supportsStreams], sequence: 1, psm: 0))
    }

    @Test("Sequence numbers are reserved in blocks before use")
    func reservedInBlocks() throws {
        var station = try Station()
        #expect(station.advertiser.activityChanged(first, of: [1], at: station.now) == [.reserve(upTo: 1_024)])
        // While the reservation is not persisted, nothing is advertised, and the reservation is not
        // requested again.
        #expect(station.advertiser.activityChanged(second, of: [1], at: station.now) == [])
        #expect(station.onAir == nil)
        station.carryOut(station.advertiser.reserved(upTo: 1_024, at: station.now))
        #expect(station.beacon?.activity == second)
        #expect(station.beacon?.sequence == 1)
        for round in 0..<1_023 { station.activity(round.isMultiple(of: 2) ? first : second) }
        #expect(station.beacon?.sequence == 1_024)
        #expect(station.persisted.isEmpty)
        station.activity(second)
        #expect(station.persisted == [2_048])
        #expect(station.beacon?.sequence == 1_025)
    }

    @Test("Another activity of the same type gets the next sequence number")
    func anotherOfTheSameType() throws {
        var station = try Station()
        station.activity(first, of: [1])
        let bytes = station.onAir
        station.activity(first, of: [1])
        #expect(station.onAir == bytes)
        station.activity(first, of: [2])
        #expect(station.beacon == Beacon(device: 7, activity: first, flags: [], sequence: 2, psm: 0))
    }

    @Test("After a restart, sequence numbers continue after the persisted reservation")
    func restart() throws {
        var station = try Station(reserved: 2_048)
        station.activity(first)
        #expect(station.persisted == [3_072])
        #expect(station.beacon?.sequence == 2_049)
    }

    @Test("A failed reservation is requested again, and the present advertisement stays on the air")
    func failedReservation() throws {
        var station = try Station()
        #expect(station.advertiser.activityChanged(first, of: [1], at: station.now) == [.reserve(upTo: 1_024)])
        station.advertiser.reservationFailed(at: station.now)
        #expect(station.onAir == nil)
        let deadline = try #require(station.advertiser.nextDeadline)
        #expect(deadline > station.uptime)
        station.pass(60)
        #expect(station.persisted == [1_024])
        #expect(station.beacon?.sequence == 1)
        for round in 0..<1_023 { station.activity(round.isMultiple(of: 2) ? second : first) }
        let bytes = station.onAir
        #expect(station.beacon?.sequence == 1_024)
        // The advertisement stays, and each change repeats the request.
        for _ in 0..<2 {
            let actions = station.advertiser.activityChanged(first, of: [1], at: station.now)
            #expect(actions == [.reserve(upTo: 2_048)])
            station.advertiser.reservationFailed(at: station.now)
            #expect(station.advertiser.lacksSequence)
        }
        #expect(station.onAir == bytes)
        station.pass(60)
        #expect(!station.advertiser.lacksSequence)
        #expect(station.persisted == [1_024, 2_048])
        #expect(station.beacon?.sequence == 1_025)
    }

    @Test("Waiting for a reservation does not cause a busy loop")
    func waitingDoesNotSpin() throws {
        var station = try Station()
        _ = station.advertiser.activityChanged(first, of: [1], at: station.now)
        #expect(try #require(station.advertiser.nextDeadline) > station.uptime)
    }

    @Test("Sequence numbers do not wrap, so the advertiser is silent after the last one")
    func sequencesNeverWrap() throws {
        var station = try Station(reserved: .max - 2)
        station.activity(first)
        #expect(station.persisted == [.max])
        #expect(station.beacon?.sequence == UInt32.max - 1)
        station.activity(second)
        #expect(station.beacon?.sequence == .max)
        #expect(!station.advertiser.isExhausted)
        station.activity(first)
        #expect(station.onAir == nil)
        #expect(station.advertiser.isExhausted)
        station.pass(1_000)
        #expect(station.onAir == nil)
    }

    @Test("A beacon with equal fields keeps its sequence number, and one with changed fields gets the next number")
    func sameFieldsKeepTheSequence() throws {
        var station = try Station()
        station.activity(first, [.hasWebpage])
        station.activity(first, [.hasWebpage])
        #expect(station.changes == 1)
        station.activity(first)
        #expect(station.beacon?.sequence == 2)
        station.carryOut(station.advertiser.psmChanged(0x81, at: station.now))
        #expect(station.beacon?.sequence == 3)
        #expect(station.beacon?.psm == 0x81)
        // While there is an activity, a request to be reachable has no effect.
        station.carryOut(station.advertiser.idleChanged(true, at: station.now))
        #expect(station.beacon?.sequence == 3)
    }

    @Test("A new epoch gives new bytes with the same sequence number")
    func newEpoch() throws {
        var station = try Station()
        station.activity(first)
        let bytes = station.onAir
        station.pass(599)
        #expect(station.onAir == bytes)
        station.pass(1)
        #expect(station.onAir != bytes)
        #expect(station.beacon?.sequence == 1)
        #expect(station.changes == 2)
    }

    @Test("Deadlines follow the wall clock")
    func deadlinesFollowTheWallClock() throws {
        var station = try Station()
        station.unixTime += 595
        station.activity(first)
        #expect(station.advertiser.nextDeadline == station.uptime + .seconds(5))
        // A change of the clock is noticed within a minute.
        station.unixTime -= 300
        station.carryOut(station.advertiser.timePassed(at: station.now))
        #expect(station.advertiser.nextDeadline == station.uptime + .seconds(60))
    }

    @Test("The end of an activity is advertised for 30 seconds, and after that nothing is advertised")
    func endThenSilence() throws {
        var station = try Station()
        station.activity(first, [.hasWebpage])
        station.activity(nil)
        #expect(station.beacon == Beacon(device: 7, activity: first, flags: [.ended], sequence: 2, psm: 0))
        #expect(station.advertiser.nextDeadline == station.uptime + .seconds(30))
        station.pass(29)
        #expect(station.beacon?.flags == .ended)
        station.activity(nil)
        station.pass(1)
        #expect(station.onAir == nil)
        #expect(station.advertiser.nextDeadline == nil)
        station.activity(first, [.hasWebpage])
        #expect(station.beacon?.sequence == 3)
    }

    @Test("A new activity replaces the advertisement of an end")
    func newActivityCutsAnEndShort() throws {
        var station = try Station()
        station.activity(first)
        station.activity(nil)
        station.activity(second)
        #expect(station.beacon?.activity == second)
        #expect(station.beacon?.sequence == 3)
        station.pass(31)
        #expect(station.beacon?.activity == second)
    }

    @Test("An idle beacon is advertised only on request, and only after the advertisement of an activity's end")
    func idleWhenWanted() throws {
        var station = try Station()
        station.carryOut(station.advertiser.idleChanged(true, at: station.now))
        #expect(station.beacon == Beacon(device: 7, activity: .none, flags: [.idle], sequence: 1, psm: 0))
        station.activity(first)
        station.activity(nil)
        #expect(station.beacon?.flags == .ended)
        station.pass(30)
        #expect(station.beacon?.flags == .idle)
        #expect(station.beacon?.sequence == 4)
        station.carryOut(station.advertiser.idleChanged(false, at: station.now))
        #expect(station.onAir == nil)
    }

    @Test("A hello has the same state as the last beacon")
    func helloSaysLastBeacon() throws {
        var station = try Station(reserved: 10)
        #expect(station.advertiser.current == Beacon(device: 7, activity: .none, flags: [], sequence: 10, psm: 0))
        station.activity(first)
        #expect(station.advertiser.current == station.beacon)
        station.activity(nil)
        let last = station.beacon
        station.pass(30)
        #expect(station.onAir == nil)
        #expect(station.advertiser.current == last)
    }

    @Test("A new secret causes new bytes and a new sequence number")
    func newSecret() throws {
        var station = try Station()
        station.activity(first)
        let secret = CircleSecret()
        station.cipher = BeaconCipher(secret: secret)
        station.carryOut(station.advertiser.secretChanged(secret, activity: second, at: station.now))
        #expect(station.beacon?.activity == second)
        #expect(station.beacon?.sequence == 2)
        station.carryOut(station.advertiser.secretChanged(CircleSecret(), activity: nil, at: station.now))
        #expect(station.onAir == nil)
    }
}
