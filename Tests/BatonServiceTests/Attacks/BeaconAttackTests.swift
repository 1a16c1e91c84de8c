// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Testing

@testable import BatonProtocol
@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.HandoverLane {
    /// Tests attacks with a recorder and a transmitter. Documentation/ThreatModel.md describes
    /// these attackers, and names the defence that each test covers.
    struct BeaconAttackTests {
        @Test(
            "Linking: the beacons of one epoch do not reveal which beacons of the next epoch come from the same device")
        func linkingAcrossEpochs() async throws {
            try await World.with { world, clock in
                let attacker = try await world.attacker()
                let (anna, dora) = (
                    try await world.device("anna", clock: clock), try await world.device("dora", clock: clock)
                )
                var recorded: [String: [[UInt8]]] = [:]
                for device in [anna, dora] {
                    try await device.service.createCircle(name: "")
                    // Anna and dora run the same app, and its contents do not change.
                    try await device.publish("org.example.note")
                }
                for _ in 0..<12 {
                    for device in [anna, dora] {
                        let known = recorded[device.radio.address] ?? []
                        recorded[device.radio.address] = known + [try await attacker.record(device, otherThan: known)]
                    }
                    clock.advance(by: .seconds(BeaconCipher.epochSeconds))
                }
                let (annas, doras) = (recorded["anna"] ?? [], recorded["dora"] ?? [])
                for next in [annas, doras] {
                    let pairs = zip(annas, next.dropFirst())
                    // By chance one byte in 256 is equal, so about one of the 253 compared bytes.
                    // Twelve equal bytes would not occur by chance in a thousand years of runs.
                    let same = pairs.reduce(0) { sum, pair in sum + zip(pair.0, pair.1).dropFirst().count { $0 == $1 } }
                    #expect(same < 12)
                }
                for (index, one) in annas.enumerated() {
                    for other in annas.dropFirst(index + 1) + doras {
                        #expect(!Array(one.dropFirst()).shares(4, with: Array(other.dropFirst())))
                    }
                }
            }
        }

        @Test(
            "Reading: the known contents of one beacon reveal nothing of the next, not even whether an activity came back"
        )
        func readingContents() async throws {
            try await World.with { world in
                let attacker = try await world.attacker()
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "")
                var sealed: [[UInt8]] = []
                var plain: [[UInt8]] = []
                for type in ["org.example.known", "org.example.secret", "org.example.known"] {
                    try await anna.publish(type)
                    sealed.append(try await attacker.record(anna, otherThan: sealed))
                    plain.append(try #require(await anna.service.advertising.advertiser?.current.plaintext))
                }
                #expect(plain[0][4..<9] == plain[2][4..<9], "the same activity")
                // Apply the key stream of the first beacon to the others.
                let stream = Array(sealed[0].dropFirst(9)) ^ plain[0]
                for index in 1...2 {
                    let guess = Array(sealed[index].dropFirst(9)) ^ stream
                    #expect(!guess.shares(4, with: plain[index]))
                    #expect(!Array(sealed[0].dropFirst()).shares(4, with: Array(sealed[index].dropFirst())))
                }
                for mark in await anna.marks { for bytes in sealed { #expect(!bytes.holds(mark)) } }
            }
        }

        @Test("Forging: an attacker who knows a beacon's contents cannot change its activity or its sequence")
        func forging() async throws {
            try await World.with { world in
                let attacker = try await world.attacker()
                let (anna, berta) = try await world.pair()
                try await anna.publish("note")
                let genuine = try await attacker.recordCurrent(anna)
                _ = try await berta.offer(ofType: "note")
                try await attacker.radio.takePSM(0x90)
                let door = try await attacker.open { NonceHandler($0, nonce: [UInt8](repeating: 1, count: 16)) }
                let known = try #require(await anna.service.advertising.advertiser?.current)
                let other = try #require(ActivityHash(bytes: [1, 2, 3, 4, 5]))
                var wanted: [Beacon] = Array(repeating: known, count: 5)
                wanted[0].activity = other
                wanted[1].sequence = .max
                wanted[2].flags = .ended
                wanted[3].psm = UInt8(clamping: door.port)
                wanted[4].device = await berta.identityID.short
                for beacon in wanted {
                    let bent = Array(genuine[..<9]) + (Array(genuine[9...]) ^ known.plaintext ^ beacon.plaintext)
                    #expect(bent != genuine)
                    await berta.service.radioEvent(.sighted(Sighting(address: "mallory", payload: bent, signal: 20)))
                    #expect(await berta.service.opened(bent) == nil)
                }
                #expect(await berta.service.offers().map(\.type) == ["note"])
                #expect(await !berta.service.isHeard(anna, at: "mallory"))
                // After the forgeries, real beacons do not count as old.
                try await anna.publish("next")
                _ = try await berta.offer(ofType: "next")
                #expect(attacker.callerCount == 0)
            }
        }

        @Test(
            "Replay within the epoch: a replayed beacon causes a few dials in ten minutes, which fail and do not identify the dialler"
        )
        func replayWithinTheEpoch() async throws {
            try await World.with { world, clock in
                let attacker = try await world.attacker()
                let (anna, away) = try await world.pair(clock: clock)
                // Berta has never seen the type, and is absent while it is advertised.
                await away.service.stop()
                try await anna.publish("note")
                let recorded = try await attacker.recordCurrent(anna)
                var marks: [[UInt8]] = []
                for device in [anna, away] { marks += await device.marks }
                await anna.service.stop()
                let berta = try await world.device("berta", clock: clock)
                // The attacker's radio uses the PSM that the beacon names.
                let psm = try #require(await berta.service.opened(recorded)?.beacon.psm)
                try await attacker.radio.takePSM(UInt16(psm))
                _ = try await attacker.open { NonceHandler($0, nonce: [UInt8](repeating: 1, count: 16)) }
                try await attacker.radio.advertise(recorded)
                let caller = try await attacker.caller()
                let knock = try await caller.knock()
                for mark in marks { #expect(!knock.holds(mark)) }
                // The answer contains a ServerHello of TLS 1.2, which TLS would answer with an
                // alert.
                let hello = [22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3] + pattern(32, seed: 2) + [0, 0x13, 0x01, 0, 0, 0]
                caller.send(pattern(16, seed: 1) + hello)
                #expect(try await caller.receivedToEnd() == knock, "not a byte after the wrong answer")
                await berta.dialsEnd()
                // Ten minutes of replay cause 7 dials, of which the first has already happened.
                var dials = 0
                for _ in 0..<600 {
                    clock.advance(by: .seconds(1))
                    dials += await berta.service.dialsWanted(hearing: recorded)
                }
                #expect(dials <= 6)
                #expect(await berta.service.offers().isEmpty, "no hello has named it")
            }
        }

        @Test("Replay after the epoch: a beacon that is half an hour old shows no offer, however often it is sent")
        func replayAfterTheEpoch() async throws {
            try await World.with { world, clock in
                let attacker = try await world.attacker()
                let (anna, berta) = try await world.pair(clock: clock)
                try await anna.publish("note")
                let recorded = try await attacker.recordCurrent(anna)
                _ = try await berta.offer(ofType: "note")
                await anna.service.stop()
                try await attacker.radio.advertise(recorded)
                let again = RadioEvent.sighted(Sighting(address: "mallory", payload: recorded, signal: nil))
                // Of this epoch and the next one, 1,000 s remain.
                clock.advance(by: .seconds(999))
                await berta.service.radioEvent(again)
                #expect(await berta.service.offers().count == 1)
                clock.advance(by: .seconds(1))
                try await berta.withdrawal(ofType: "note")
                for _ in 0..<20 {
                    await berta.service.radioEvent(again)
                    #expect(await berta.service.offers().isEmpty)
                    clock.advance(by: .seconds(60))
                }
            }
        }

        @Test(
            "Replay at the end of the epoch: a second that passes while a beacon is opened does not extend its validity"
        )
        func replayAtTheEnd() async throws {
            let clock = PassingClock()
            try await World.withPair(clock: clock) { anna, berta in
                try await anna.publish("note")
                let recorded = try #require(await anna.radio.payload)
                _ = try await berta.offer(ofType: "note")
                await anna.service.stop()
                clock.manual.advance(by: .seconds(999))
                clock.passNext(.seconds(1))
                await berta.service.radioEvent(
                    .sighted(Sighting(address: "mallory", payload: recorded, signal: nil)))
                try await berta.withdrawal(ofType: "note")
            }
        }

        @Test(
            "Advancing the sequence: a member can advance another device's sequence, and that device's next hello resets it"
        )
        func pushingTheSequence() async throws {
            try await World.withPair { anna, berta, clock in
                _ = try await berta.service.invite()
                try await anna.hearsBeacon(of: berta)
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                await berta.dialsEnd()
                try await Device.endLinks(of: anna, berta)
                // The forger has the secret, as a stolen device before its removal does.
                var forger = try await Forger(of: anna, for: berta)
                await forger.send { ($0.activity, $0.flags, $0.sequence) = (.none, .idle, .max) }
                #expect(await berta.service.offers().isEmpty)
                let genuine = try #require(await anna.radio.payload)
                await berta.service.radioEvent(.sighted(Sighting(address: "anna", payload: genuine, signal: nil)))
                #expect(await berta.service.offers().isEmpty, "the true one looks old")
                _ = try await anna.service.link(to: berta.identityID)
                _ = try await berta.offer(ofType: "note")
                // While the link is open, forged beacons have no effect.
                await forger.send { ($0.activity, $0.flags, $0.sequence) = (.none, .idle, .max) }
                #expect(await berta.service.offers().map(\.type) == ["note"])
            }
        }

        @Test(
            "Forging for another member: a web page is never shown under a hash that the member's device has not named")
        func forgedInAnothersName() async throws {
            try await World.withPair { anna, berta, clock in
                _ = try await anna.service.invite()
                try await berta.hearsBeacon(of: anna)
                try await Device.endLinks(of: anna, berta)
                var forger = try await Forger(of: anna, for: berta)
                // One beacon every 200 ms, for 15 s.
                for number: UInt8 in 0..<75 {
                    await forger.send {
                        $0.activity = ActivityHash(bytes: [1, 2, 3, 4, number]) ?? .none
                        ($0.flags, $0.sequence) = (.hasWebpage, $0.sequence + 1_000 + UInt32(number))
                    }
                    #expect(await berta.service.offers().isEmpty)
                    clock.advance(by: .milliseconds(200))
                }
                await berta.dialsEnd()
                #expect(await berta.service.offers().isEmpty)
                #expect(await berta.service.counts["namedActivities"] == 0)
                // The device's own activity is shown, because its hello names it.
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
            }
        }

        @Test(
            "Contradicting a member: a forged beacon has no effect while the member's link is open, and later shows only named types"
        )
        func contradictingAHello() async throws {
            try await World.withPair { anna, berta, clock in
                for type in ["former", "note"] { try await anna.publish(type) }
                let offer = try await berta.offer(ofType: "note")
                await berta.dialsEnd()
                _ = try await berta.service.link(to: anna.identityID)
                let former = try #require(await anna.service.advertising.keys.hasher?.hash(team: "", type: "former"))
                let unknown = try #require(ActivityHash(bytes: [1, 2, 3, 4, 5]))
                var forger = try await Forger(of: anna, for: berta)
                let lies: [(activity: ActivityHash, flags: BeaconFlags)] = [
                    (ActivityHash.none, []), (ActivityHash.none, .idle), (forger.known.activity, .ended),
                    (unknown, .hasWebpage), (former, []),
                ]
                for address in ["mallory", "anna"] {
                    for lie in lies {
                        await forger.send(from: address) {
                            ($0.activity, $0.flags, $0.sequence) = (lie.activity, lie.flags, .max)
                        }
                        #expect(await berta.service.offers().map(\.offer) == [offer.offer])
                    }
                }
                try await Device.endLinks(of: anna, berta)
                _ = try await berta.offer(ofType: "former")
            }
        }

        @Test(
            "Exhaustion: 10,000 plausible advertisements in a second cause five hail trials, no dial, and use no memory"
        )
        func noise() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                // Wait for the dial that fetched the type.
                await berta.dialsEnd()
                let genuine = try #require(await anna.radio.payload)
                let before = await berta.service.sightings.hailListener.trialCount
                for number in 0..<10_000 {
                    let noise = [Beacon.version] + pattern(23, seed: UInt64(number) + 1)
                    await berta.service.radioEvent(
                        .sighted(Sighting(address: "\(number)", payload: noise, signal: nil)))
                    if number % 100 == 99 { clock.advance(by: .milliseconds(10)) }
                }
                #expect(await berta.service.sightings.hailListener.trialCount - before <= 6)
                let hails = try #require(await berta.service.counts["hailsTried"])
                #expect(hails <= HailListener.maximumTried)
                let unopened = try #require(await berta.service.counts["unopenedAdvertisements"])
                #expect(unopened <= ClockSearch.maximumRemembered)
                #expect(await berta.service.offers().map(\.type) == ["note"])
                #expect(await berta.service.counts["dials"] == 0)
                let heard = await berta.service.peers[anna.identityID].addresses.radio(at: clock.uptime)
                #expect(heard.isEmpty)
                // A member's beacon is heard among the noise.
                await berta.service.radioEvent(.sighted(Sighting(address: "anna-2", payload: genuine, signal: nil)))
                #expect(await berta.service.isHeard(anna, at: "anna-2"))
            }
        }

        @Test(
            "Exhaustion on the air: a member is heard despite 10,000 and more advertisements from one transmitter"
        )
        func noiseOnTheAir() async throws {
            try await World.with { world in
                let attacker = try await world.attacker()
                // The clock stands still, so that no more hails are tried.
                let (anna, berta) = try await world.pair(clock: ManualClock())
                let (much, isMuch) = AsyncStream.makeStream(of: Void.self)
                let flood = Task {
                    // The flood continues until the activity has been taken over.
                    var number: UInt64 = 0
                    while !Task.isCancelled {
                        number += 1
                        try await attacker.radio.advertise([Beacon.version] + pattern(23, seed: number))
                        if number == 10_000 { isMuch.yield() }
                    }
                }
                defer { flood.cancel() }
                for await _ in much { break }
                // A radio reports only the last of all received advertisements.
                var heard: Set<[UInt8]> = []
                try await berta.until("much of it is heard", after: .radioEvent) {
                    if let noise = await berta.service.sightings.clockSearch.unopened["mallory"] { heard.insert(noise) }
                    return heard.count > 10
                }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                #expect(await berta.service.sightings.hailListener.trialCount <= 1)
                #expect(await berta.service.sightings.clockSearch.trialCount <= 1)
            }
        }
    }
}

extension HandoffService {
    func isHeard(_ device: Device, at address: String) async -> Bool {
        let short = await device.identityID.short
        return sightings.book.heard(short).contains { $0.address == address }
    }
}

extension HandoffService {
    /// Returns the number of dials that a repeated advertisement makes this device want.
    func dialsWanted(hearing payload: [UInt8]) -> Int {
        guard let opened = opened(payload) else { return 0 }
        let events = sightings.book.received(opened, address: "mallory", signal: nil, at: clock.uptime)
        return events.count { if case .dial = $0 { true } else { false } }
    }
}

extension SimulatedRadio {
    /// Makes the next listener use this PSM.
    func takePSM(_ psm: UInt16) throws { nextPSM = psm }
}

/// A member that forges beacons of another member for one listener.
private struct Forger {
    /// The beacon that the other member advertises.
    let known: Beacon
    private var cipher: BeaconCipher
    private let listener: HandoffService

    init(of victim: Device, for listener: Device) async throws {
        known = try #require(await victim.service.advertising.advertiser?.current)
        cipher = BeaconCipher(secret: try #require(await listener.service.circle?.secret))
        self.listener = listener.service
    }

    /// Makes the listener hear a beacon that differs from the true one.
    mutating func send(from address: String = "mallory", _ forge: (inout Beacon) -> Void) async {
        var lie = known
        forge(&lie)
        let bytes = cipher.seal(lie, at: listener.clock.unixTime)
        await listener.radioEvent(.sighted(Sighting(address: address, payload: bytes, signal: nil)))
    }
}
