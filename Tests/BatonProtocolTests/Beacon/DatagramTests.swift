// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

private struct DatagramVectors: Decodable {
    struct Sealed: Decodable {
        var name: String
        var secret: Hex
        var unixTime: Int64
        var network: Hex
        var isHail: Bool
        var device: UInt32
        var port: UInt16
        var sealed: Hex
    }
    struct ReservedBytes: Decodable {
        var secret: Hex
        var unixTime: Int64
        var network: Hex
        var sealed: Hex
        var device: UInt32
        var port: UInt16
    }
    var sealed: [Sealed]
    var reservedBytes: ReservedBytes
}

/// Tests beacons as datagrams in local networks (Documentation/Protocol/Datagram.md).
@Suite struct DatagramTests {
    private let secret = CircleSecret()
    private let now: Int64 = 1_800_000_000
    private let beacon = Beacon(device: 7, port: 21_740)
    private let home = [UInt8](repeating: 1, count: 32)
    private let elsewhere = [UInt8](repeating: 2, count: 32)

    private func sealed(_ offset: Int64 = 0) -> [UInt8] {
        var cipher = BeaconCipher(secret: secret, form: .datagram)
        return cipher.seal(beacon, at: now + offset, in: home)
    }

    @Test("The datagrams of the vectors are sealed and opened")
    func vectorsSealAndOpen() throws {
        let vectors = try vectors("datagram.json", as: DatagramVectors.self)
        #expect(vectors.sealed.count == 7)
        for vector in vectors.sealed {
            var cipher =
                vector.isHail
                ? BeaconCipher(hailing: try #require(PairwiseKey(bytes: vector.secret.bytes)), form: .datagram)
                : BeaconCipher(secret: try #require(CircleSecret(bytes: vector.secret.bytes)), form: .datagram)
            let beacon = Beacon(device: vector.device, port: vector.port)
            let sealed = cipher.seal(beacon, at: vector.unixTime, in: vector.network.bytes)
            #expect(Hex(sealed) == vector.sealed, "\(vector.name)")
            let opened = cipher.open(sealed + vector.network.bytes, at: vector.unixTime)
            #expect(opened?.beacon == beacon, "\(vector.name)")
        }
    }

    @Test("The reserved bytes of a datagram are ignored, so a datagram makes no offer")
    func reservedBytesAreIgnored() throws {
        let vector = try vectors("datagram.json", as: DatagramVectors.self).reservedBytes
        var cipher = BeaconCipher(secret: try #require(CircleSecret(bytes: vector.secret.bytes)), form: .datagram)
        let opened = cipher.open(vector.sealed.bytes + vector.network.bytes, at: vector.unixTime)
        #expect(opened?.beacon == Beacon(device: vector.device, port: vector.port))
        #expect(opened?.beacon.offered == nil)
    }

    @Test("Each datagram has 25 bytes, and the first one is the version")
    func length() {
        #expect(sealed().count == 25)
        #expect(sealed()[0] == 2)
    }

    @Test("A datagram opens only in the network for which it was sealed")
    func replayElsewhere() {
        var cipher = BeaconCipher(secret: secret, form: .datagram)
        #expect(cipher.open(sealed() + home, at: now)?.beacon == beacon)
        #expect(cipher.open(sealed() + elsewhere, at: now) == nil)
        // The bytes for the two networks have no common part by which an observer could match
        // them.
        let other = cipher.seal(beacon, at: now, in: elsewhere)
        #expect(other[1..<9] != sealed()[1..<9])
        #expect(other[9...] != sealed()[9...])
    }

    @Test("A datagram opens for at most 20 minutes")
    func replayLater() {
        var cipher = BeaconCipher(secret: secret, form: .datagram)
        #expect(cipher.open(sealed() + home, at: now + 1_199)?.beacon == beacon)
        #expect(cipher.open(sealed() + home, at: now + 1_200) == nil)
    }

    @Test("A datagram that was changed, cut or lengthened does not open")
    func changed() {
        var cipher = BeaconCipher(secret: secret, form: .datagram)
        let sealed = sealed()
        for bit in 0..<(8 * sealed.count) {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(cipher.open(changed + home, at: now) == nil)
        }
        for count in 0..<sealed.count { #expect(cipher.open(sealed[..<count] + home, at: now) == nil) }
        #expect(cipher.open(sealed, at: now) == nil)
        #expect(cipher.open(sealed + home + [0], at: now) == nil)
        #expect(cipher.open([], at: now) == nil)
    }

    @Test("An advertisement does not open as a datagram, and a datagram does not open as an advertisement")
    func forms() {
        var datagrams = BeaconCipher(secret: secret, form: .datagram)
        var advertisements = BeaconCipher(secret: secret)
        let advertised = advertisements.seal(beacon, at: now)
        #expect(datagrams.open([2] + advertised.dropFirst() + [0] + home, at: now) == nil)
        #expect(advertisements.open(sealed(), at: now) == nil)
        #expect(advertisements.open([1] + sealed()[1..<24], at: now) == nil)
    }

    @Test("Only the hailed device opens a hail, and only in its network")
    func hails() throws {
        let (anna, berta) = (DeviceIdentity(), DeviceIdentity())
        let circle = CircleID(founder: anna.id)
        let key = try #require(PairwiseKey(own: anna, peer: berta.keys, circle: circle))
        var (annas, bertas) = (HailListener(.datagram), HailListener(.datagram))
        annas.keysChanged([berta.id: key])
        bertas.keysChanged([anna.id: key])
        let own = Beacon(device: anna.id.short, port: 21_740)
        let hail = annas.seal(own, to: berta.id, at: now, in: home)
        let bytes = try #require(hail)
        #expect(bertas.received(bytes + elsewhere, at: now, uptime: .zero) == nil)
        let heard = bertas.received(bytes + home, at: now, uptime: .zero)
        #expect(heard?.device == anna.id)
        #expect(heard?.beacon.port == 21_740)
        #expect(annas.received(bytes + home, at: now, uptime: .zero) == nil, "its own hail")
    }

    @Test("16 datagrams are tried at once with the keys of members, and then five a second")
    func trials() throws {
        var listener = HailListener(.datagram)
        listener.keysChanged([DeviceIdentity().id: try #require(PairwiseKey(bytes: [UInt8](repeating: 9, count: 32)))])
        func flood(_ uptime: Duration) {
            for number in 0..<100 {
                let noise =
                    [2] + (0..<24).map { UInt8(truncatingIfNeeded: number * 31 + $0 * Int(uptime / .seconds(1) + 7)) }
                _ = listener.received(noise + home, at: now, uptime: uptime)
            }
        }
        flood(.seconds(10))
        #expect(listener.trialCount == 16)
        flood(.seconds(11))
        #expect(listener.trialCount == 21)
    }

    @Test("A device whose clock is wrong is found by its datagram")
    func wrongClock() {
        var search = ClockSearch(.datagram)
        search.keysChanged(secret, pairwise: [:])
        search.heard(sealed(7_200) + home, at: "a")
        let hit = search.step(at: now, uptime: .zero, notBefore: 0)
        #expect(hit == ClockSearch.Hit(device: 7, address: "a", psm: 0, port: 21_740))
    }
}
