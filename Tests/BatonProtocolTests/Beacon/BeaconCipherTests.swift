// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

struct BeaconVectors: Decodable {
    struct Sealed: Decodable {
        var name: String
        var secret: Hex
        var unixTime: Int64
        var epoch: Int64
        var device: UInt32
        var activity: Hex
        var flags: UInt8
        var sequence: UInt32
        var psm: UInt8
        var sealed: Hex
    }
    struct UnknownFlags: Decodable {
        var secret: Hex
        var unixTime: Int64
        var sealed: Hex
        var device: UInt32
        var flags: UInt8
    }
    struct Activity: Decodable {
        var secret: Hex
        var team: String
        var type: String
        var hash: Hex
    }
    var sealed: [Sealed]
    var unknownFlags: UnknownFlags
    var activities: [Activity]
}

@Suite struct BeaconCipherTests {
    static let time: Int64 = 1_795_230_000

    func secret(_ byte: UInt8) throws -> CircleSecret {
        try #require(CircleSecret(bytes: [UInt8](repeating: byte, count: 32)))
    }

    func beacon(sequence: UInt32 = 1, activity: [UInt8] = [1, 2, 3, 4, 5]) throws -> Beacon {
        Beacon(
            device: 7, activity: try #require(ActivityHash(bytes: activity)), flags: [.hasWebpage], sequence: sequence,
            psm: 0x80)
    }

    @Test("The beacons of the vectors are sealed and opened")
    func vectorsSealAndOpen() throws {
        let vectors = try vectors("beacon.json", as: BeaconVectors.self)
        #expect(vectors.sealed.count == 8)
        for vector in vectors.sealed {
            var cipher = BeaconCipher(secret: try #require(CircleSecret(bytes: vector.secret.bytes)))
            let beacon = Beacon(
                device: vector.device, activity: try #require(ActivityHash(bytes: vector.activity.bytes)),
                flags: BeaconFlags(rawValue: vector.flags), sequence: vector.sequence, psm: vector.psm)
            #expect(Hex(cipher.seal(beacon, at: vector.unixTime)) == vector.sealed, "\(vector.name)")
            let result = cipher.open(vector.sealed.bytes, at: vector.unixTime)
            let opened = try #require(result)
            #expect(opened.beacon == beacon, "\(vector.name)")
            #expect(opened.epoch == vector.epoch)
        }
    }

    @Test("The activities of the vectors have the hashes that the vectors state")
    func vectorsOfActivities() throws {
        let vectors = try vectors("beacon.json", as: BeaconVectors.self)
        #expect(vectors.activities.count == 8)
        for vector in vectors.activities {
            let secret = try #require(CircleSecret(bytes: vector.secret.bytes))
            let hash = try #require(ActivityHash(team: vector.team, type: vector.type, secret: secret))
            #expect(Hex(hash.bytes) == vector.hash)
        }
    }

    @Test("Unknown flags are ignored")
    func unknownFlagsAreIgnored() throws {
        let vector = try vectors("beacon.json", as: BeaconVectors.self).unknownFlags
        var cipher = BeaconCipher(secret: try #require(CircleSecret(bytes: vector.secret.bytes)))
        let result = cipher.open(vector.sealed.bytes, at: vector.unixTime)
        let opened = try #require(result)
        #expect(opened.beacon.device == vector.device)
        #expect(opened.beacon.flags == BeaconFlags(rawValue: vector.flags))
    }

    @Test("A beacon has 24 bytes, and the first one is the version")
    func beaconIs24Bytes() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        #expect(sealed.count == 24)
        #expect(sealed[0] == 1)
    }

    @Test("A beacon of another circle cannot be opened")
    func anotherCirclesBeacon() throws {
        var ours = BeaconCipher(secret: try secret(1))
        var theirs = BeaconCipher(secret: try secret(2))
        let sealed = theirs.seal(try beacon(), at: Self.time)
        #expect(ours.open(sealed, at: Self.time) == nil)
    }

    @Test("Equal beacons have equal bytes within an epoch, and other bytes in the next epoch")
    func equalBeacons() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let first = cipher.seal(try beacon(), at: Self.time)
        #expect(cipher.seal(try beacon(), at: Self.time + 599) == first)
        #expect(cipher.seal(try beacon(), at: Self.time + 600) != first)
        #expect(cipher.seal(try beacon(), at: Self.time) == first)
    }

    @Test("Three epochs are tried: the present one and its two neighbours")
    func threeEpochsAreTried() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        for (offset, opens) in [(-601, false), (-600, true), (0, true), (599, true), (1_199, true), (1_200, false)] {
            var receiver = BeaconCipher(secret: try secret(1))
            #expect((receiver.open(sealed, at: Self.time + Int64(offset)) != nil) == opens, "\(offset)")
        }
    }

    @Test("Sealed bytes are valid for at most 30 minutes")
    func sealedBytesExpire() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        #expect(cipher.open(sealed, at: Self.time - 600)?.validFor == .seconds(1_800))
        #expect(cipher.open(sealed, at: Self.time + 10)?.validFor == .seconds(1_190))
        #expect(cipher.open(sealed, at: Self.time + 1_199)?.validFor == .seconds(1))
    }

    @Test("Bytes of an unknown version cannot be opened")
    func unknownVersionDoesNotOpen() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        for version in UInt8.min...UInt8.max where version != 1 {
            #expect(cipher.open([version] + sealed.dropFirst(), at: Self.time) == nil)
        }
    }

    @Test("Bytes of a wrong length cannot be opened")
    func wrongLengthDoesNotOpen() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        for count in 0..<24 { #expect(cipher.open(Array(sealed.prefix(count)), at: Self.time) == nil) }
        #expect(cipher.open(sealed + [0], at: Self.time) == nil)
        #expect(cipher.open([UInt8](repeating: 1, count: 5_000), at: Self.time) == nil)
    }

    @Test("A beacon with any flipped bit cannot be opened")
    func everyFlippedBit() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        let sealed = cipher.seal(try beacon(), at: Self.time)
        for bit in 0..<(24 * 8) {
            var forged = sealed
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(forged, at: Self.time) == nil)
        }
    }

    @Test("Random bytes cannot be opened")
    func randomBytesNeverOpen() throws {
        var generator = SeededGenerator(seed: 20_261_121)
        var cipher = BeaconCipher(secret: try secret(1))
        for round in 0..<5_000 {
            var bytes = generator.bytes(round.isMultiple(of: 2) ? 24 : Int.random(in: 0...64, using: &generator))
            if !bytes.isEmpty { bytes[0] = 1 }
            #expect(cipher.open(bytes, at: Self.time) == nil)
        }
    }

    @Test("Random beacons that are sealed at random times open to the same values")
    func randomBeacons() throws {
        var generator = SeededGenerator(seed: 7)
        var cipher = BeaconCipher(secret: try secret(3))
        for _ in 0..<500 {
            let beacon = Beacon(
                device: .random(in: 0 ... .max, using: &generator),
                activity: try #require(ActivityHash(bytes: generator.bytes(5))),
                flags: BeaconFlags(rawValue: .random(in: 0...15, using: &generator)),
                sequence: .random(in: 0 ... .max, using: &generator), psm: .random(in: 0...255, using: &generator))
            let time = Int64.random(in: -10_000_000_000...10_000_000_000, using: &generator)
            let sealed = cipher.seal(beacon, at: time)
            let drift = Int64.random(in: -600...600, using: &generator)
            #expect(cipher.open(sealed, at: time + drift)?.beacon == beacon)
        }
    }

    @Test("Beacons at extreme times can be opened, without a trap")
    func extremeTimesDoNotTrap() throws {
        var cipher = BeaconCipher(secret: try secret(1))
        for time in [Int64.min, -1, 0, Int64.max] {
            let sealed = cipher.seal(try beacon(), at: time)
            #expect(cipher.open(sealed, at: time)?.beacon == (try beacon()))
        }
    }

    @Test("Secrets are not printed")
    func secretsAreNotPrinted() throws {
        let secret = try secret(0xAB)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("abab"))
        }
        #expect(CircleSecret() != CircleSecret())
        #expect(CircleSecret(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    }

    @Test("An ambiguous team or type has no activity hash")
    func ambiguousActivityHash() throws {
        let secret = try secret(1)
        #expect(ActivityHash(team: "a\0b", type: "c", secret: secret) == nil)
        #expect(ActivityHash(team: "a", type: "b\0c", secret: secret) == nil)
        #expect(ActivityHash(team: "a", type: "", secret: secret) == nil)
        #expect(
            ActivityHash(team: "ab", type: "c", secret: secret) != ActivityHash(team: "a", type: "bc", secret: secret))
        #expect(ActivityHash.none.bytes == [0, 0, 0, 0, 0])
        #expect(ActivityHash(bytes: [0, 0, 0, 1, 0x2C])?.description == "000000012c")
        #expect(ActivityHash(bytes: [1, 2, 3, 4]) == nil)
    }
}
