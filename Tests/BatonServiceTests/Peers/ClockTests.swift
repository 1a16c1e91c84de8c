// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests two devices of one circle, one of which has a wrong clock.
    struct ClockTests {
        private static let start: Int64 = 1_800_000_000

        private func with(
            _ body: (_ right: Device, _ wrong: Device, _ clock: ManualClock) async throws -> Void
        ) async throws {
            try await World.with { world in
                let clocks = (ManualClock(unixTime: Self.start), ManualClock(unixTime: Self.start))
                let right = try await world.device("anna", clock: clocks.0)
                let wrong = try await world.device("berta", clock: clocks.1)
                try await right.makeCircle(with: wrong)
                try await body(right, wrong, clocks.1)
            }
        }

        /// Hands over in both directions, whichever clock is right.
        private func handOver(_ right: Device, _ wrong: Device) async throws {
            try await right.publish("org.example.first")
            #expect(try await wrong.takeOver("org.example.first").activity.activityType == "org.example.first")
            try await wrong.publish("org.example.second")
            #expect(try await right.takeOver("org.example.second").activity.activityType == "org.example.second")
        }

        @Test("If time passes between reading the two clocks, the monotonic time is the earlier one")
        func bothAreRead() async throws {
            let clock = PassingClock()
            try await World.withDevice(clock: clock) { anna in
                let (unixTime, uptime) = (clock.unixTime, clock.uptime)
                let moment = await anna.service.moment(during: .seconds(1), on: clock)
                #expect(moment.unixTime == unixTime && moment.uptime == uptime)
                #expect(clock.uptime == uptime + .seconds(1))
            }
        }

        /// Ends the connections of devices in order, so that no report is owed afterwards.
        ///
        /// The clocks stand still meanwhile. A connection that begins gets its hello in time only
        /// if no test moves the clock then.
        private func disconnect(_ devices: Device...) async throws {
            try await devices[0].until("nothing connects them", after: .traceLine, .logLine) {
                for device in devices { await device.service.drainLinks() }
                for device in devices where await device.service.isConnecting { return false }
                return true
            }
        }

        private func findings(_ device: Device) async -> [Finding] { await device.service.status().findings }

        /// Returns whether a device warns that another device's clock is ahead by this time, which
        /// is negative if the clock is behind.
        private func finds(_ device: Device, _ laptop: String, ahead seconds: Int64) async -> Bool {
            await findings(device).contains { finding in
                let values = finding.reason.values
                let places = seconds < 0 ? ["behind", "allowedBehind"] : ["ahead", "allowedAhead"]
                guard finding.code == FindingCode.clockDiffers.rawValue, values["laptop"] == .text(laptop),
                    case .duration(let found)? = places.compactMap({ values[$0] }).first
                else { return false }
                return abs(found / .seconds(1) - Double(abs(seconds))) < Double(abs(seconds)) / 8
            }
        }

        private func has(_ device: Device, _ code: FindingCode) async -> Bool {
            await findings(device).contains { $0.code == code.rawValue }
        }

        @Test(
            "A clock that is wrong by an hour or a day is found, reported and corrected for",
            arguments: [3_600, -3_600, 86_400, -86_400] as [Int64])
        func wrongClock(offset: Int64) async throws {
            try await with { right, wrong, clock in
                #expect(await right.service.clockFindings.isEmpty)
                clock.setUnixTime(Self.start + offset)
                // The device with the wrong clock is heard first, so that the other one finds it.
                try await wrong.publish("org.example.second")
                #expect(try await right.takeOver("org.example.second").activity.activityType == "org.example.second")
                try await handOver(right, wrong)
                #expect(await finds(right, "berta", ahead: offset))
                #expect(await finds(wrong, "anna", ahead: -offset))
            }
        }

        @Test(
            "A joiner whose clock is days wrong is warned at once, and hand-overs work both ways",
            arguments: [-400, -3, 3, 400] as [Int64], [true, false])
        func wrongWhenJoining(days: Int64, dials: Bool) async throws {
            try await World.with { world in
                let right = try await world.device("anna", clock: ManualClock(unixTime: Self.start))
                let wrong = try await world.device("berta", clock: ManualClock(unixTime: Self.start + days * 86_400))
                let (waiting, dialling) = dials ? (right, wrong) : (wrong, right)
                try await Device.pairByAddress(waiting: waiting, dialling: dialling)
                try await right.until("a warning on both", after: .logLine) {
                    await [has(right, .clockDiffers), has(wrong, .clockDiffers)].allSatisfy(\.self)
                }
                try await handOver(right, wrong)
            }
        }

        @Test("A joiner whose clock is days behind is warned, and hand-overs work both ways")
        func wrongWhenInvited() async throws {
            try await World.with { world in
                let right = try await world.device("anna", clock: ManualClock(unixTime: Self.start))
                let wrong = try await world.device("berta", clock: ManualClock(unixTime: Self.start - 3 * 86_400))
                try await right.makeCircle(with: wrong)
                try await right.until("a warning on both", after: .logLine) {
                    await [has(right, .clockDiffers), has(wrong, .clockDiffers)].allSatisfy(\.self)
                }
                try await handOver(right, wrong)
            }
        }

        @Test("A device whose clock is stuck in 1970 notices it, reports it, and corrects for it")
        func stuckIn1970() async throws {
            try await with { right, wrong, clock in
                clock.setUnixTime(42)
                #expect(await findings(wrong).contains { $0.reason.values == ["clock": .time(42)] })
                try await handOver(right, wrong)
                #expect(await finds(right, "berta", ahead: 42 - Self.start))
            }
        }

        @Test(
            "The ended search of a laptop whose clock shows 1970 begins again when its user looks, returns or publishes"
        )
        func searchesAgain() async throws {
            let clock = ManualClock(unixTime: 42)
            try await World.with { world in
                let wrong = try await world.device("berta", clock: clock)
                try await wrong.service.createCircle(name: "")
                await wrong.service.shortenSearch()
                let noise = [1] + [UInt8](repeating: 7, count: 23)
                await wrong.service.radioEvent(.sighted(Sighting(address: "stranger", payload: noise, signal: nil)))
                for event in ["look", "return", "publish"] {
                    try await eventually("the search ends") {
                        clock.advance(by: .seconds(3_600))
                        return await wrong.service.searchDeadline == nil
                    }
                    switch event {
                    case "look": await wrong.service.look()
                    case "return":
                        await wrong.service.attend(.away)
                        await wrong.service.attend(.present)
                    default: try await wrong.publish("org.example.note")
                    }
                    #expect(await wrong.service.searchDeadline != nil, "\(event)")
                }
            }
        }

        @Test(
            "A clock that is days ahead is not found by radio, but after a dial has succeeded it is reported and corrected for"
        )
        func daysAhead() async throws {
            try await World.with { world in
                let clocks = (ManualClock(unixTime: Self.start), ManualClock(unixTime: Self.start))
                let right = try await world.device("anna", tcp: true, clock: clocks.0)
                let wrong = try await world.device("berta", tcp: true, clock: clocks.1)
                try await right.makeCircle(with: wrong)
                // The two devices exchange their addresses.
                try await handOver(right, wrong)
                try await disconnect(right, wrong)
                clocks.1.setUnixTime(Self.start + 3 * 86_400)
                #expect(await has(wrong, .outOfTouch))
                try await wrong.publish("org.example.third")
                // The radio reports the beacon again and again, and each trial of a key comes a
                // second after the last one.
                try await right.until("its beacon is heard, and opens at no time", after: .radioEvent, .sleep) {
                    clocks.0.advance(by: ClockSearch.interval)
                    let search = await right.service.sightings.clockSearch
                    return !search.unopened.isEmpty && search.nextDeadline(at: Self.start, notBefore: 0) == nil
                }
                #expect(await !right.service.offers().contains { $0.type == "org.example.third" })
                #expect(await !has(right, .clockDiffers))
                _ = try await right.service.ping("berta")
                #expect(try await right.takeOver("org.example.third").activity.activityType == "org.example.third")
                #expect(await finds(right, "berta", ahead: 3 * 86_400))
                #expect(await finds(wrong, "anna", ahead: -3 * 86_400))
            }
        }

        @Test("After the clock has been corrected, the warning ends and hand-overs still work")
        func setRight() async throws {
            try await with { right, wrong, clock in
                clock.setUnixTime(Self.start + 7_200)
                try await handOver(right, wrong)
                #expect(await has(right, .clockDiffers))
                clock.setUnixTime(Self.start)
                #expect(await wrong.service.clockFindings.isEmpty, "the other clock was always right")
                try await wrong.publish("org.example.third")
                _ = try await right.takeOver("org.example.third")
                // The devices notice the correction at their next contact.
                await wrong.service.tellTime()
                try await eventually("nothing to warn of") { await right.service.clockFindings.isEmpty }
            }
        }

        @Test("A replayed beacon of yesterday makes no offer, but causes one dial, which fails at the knock")
        func replayOfYesterday() async throws {
            try await with { right, wrong, _ in
                var cipher = BeaconCipher(secret: try #require(await right.service.circle?.secret))
                let yesterday = Beacon(
                    device: await wrong.identityID.short, activity: try #require(ActivityHash(bytes: [1, 2, 3, 4, 5])),
                    flags: [], sequence: 9, psm: 0x80)
                let recorded = cipher.seal(yesterday, at: Self.start - 86_000)
                for _ in 0..<3 {
                    await right.service.radioEvent(
                        .sighted(Sighting(address: "mallory", payload: recorded, signal: nil)))
                }
                #expect(await right.service.offers().isEmpty)
                let device = await wrong.identityID
                var peer = await right.service.peers[device]
                let now = right.service.clock.uptime
                #expect(peer.addresses.radio(at: now).map(\.address) == ["mallory"])
                // The replay blocks nothing, so a present hail is still dialled.
                let mayBeDialled = peer.dialTurns.takeSync(at: now)
                #expect(mayBeDialled)
                #expect(await right.service.peers.clocks.differences(at: right.service.moment).isEmpty)
            }
        }

        @Test("Yesterday's beacons cause at most one dial in ten minutes, however many are replayed")
        func oneDialInTenMinutes() async throws {
            let clock = ManualClock(unixTime: Self.start)
            try await World.with { world in
                let right = try await world.device("anna", clock: clock)
                let other = try await world.device("berta", clock: ManualClock(unixTime: Self.start))
                try await right.makeCircle(with: other)
                let device = await other.identityID
                var cipher = BeaconCipher(secret: try #require(await right.service.circle?.secret))
                func replay(_ number: Int64, at address: String) async {
                    let beacon = Beacon(
                        device: device.short, activity: .none, flags: .idle, sequence: UInt32(number), psm: 0x80)
                    let recorded = cipher.seal(beacon, at: Self.start - 80_000 + 600 * number)
                    // A beacon is tried when it is heard for the second time.
                    for _ in 0..<2 {
                        await right.service.radioEvent(
                            .sighted(Sighting(address: address, payload: recorded, signal: nil)))
                        clock.advance(by: ClockSearch.interval)
                    }
                }
                await replay(1, at: "mallory")
                await replay(2, at: "trudy")
                await replay(3, at: "eve")
                func dialled() async -> [String] {
                    await right.service.peers[device].addresses.radio(at: clock.uptime).map(\.address)
                }
                #expect(await dialled() == ["mallory"])
                clock.advance(by: DialTurns.syncInterval)
                await replay(4, at: "trent")
                #expect(await dialled() == ["trent"])
            }
        }
    }
}

extension HandoffService {
    /// Reads both clocks while time passes between the two readings.
    ///
    /// This is one job of the actor, so that no other job reads the wall clock in between. For
    /// example, the radio's first status may be handled only now.
    fileprivate func moment(during duration: Duration, on clock: PassingClock) -> BeaconAdvertiser.Moment {
        clock.passNext(duration)
        return moment
    }

    fileprivate var clockFindings: [Finding] { peers.clocks.findings(store.state, at: moment) }

    /// Makes the search in windows end after four trials.
    fileprivate func shortenSearch() {
        sightings.clockSearch = ClockSearch(windows: 1)
        sightings.clockSearch.keysChanged(circle?.secret, pairwise: [:])
    }

    /// Drains all open connections.
    fileprivate func drainLinks() { for link in peers.links.open { link.drain(.idle) } }

    /// Whether a connection to another device is open or being dialled.
    fileprivate var isConnecting: Bool { !peers.links.open.isEmpty || !peers.dials.isEmpty }

    fileprivate var searchDeadline: Duration? {
        sightings.clockSearch.nextDeadline(at: clock.unixTime, notBefore: store.state.notBefore)
    }

    /// Sends a hello to all connected devices.
    func tellTime() {
        for link in peers.links.all { link.tell(hello()) }
    }
}
