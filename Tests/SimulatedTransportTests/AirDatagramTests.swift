// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SimulatedTransport

struct AirDatagramTests {
    @Test("Every payload of 0 to 24 bytes is read as it was written", arguments: 0...24)
    func roundTrip(_ count: Int) {
        let payload = (0..<count).map { UInt8($0) }
        let datagram = AirDatagram.encode(payload)
        #expect(datagram.count == 6 + count)
        #expect(AirDatagram.decode(datagram) == payload)
    }

    @Test("A datagram has the bytes that the documentation states")
    func vector() {
        #expect(AirDatagram.encode([0xAA, 0xBB]) == [0x42, 0x61, 0x69, 0x72, 1, 2, 0xAA, 0xBB])
    }

    @Test("A wrong length, version or magic is refused, and so is a datagram that is too long")
    func malformedDatagramsAreRefused() {
        let good = AirDatagram.encode([1, 2, 3])
        for count in 0..<good.count { #expect(AirDatagram.decode(good.prefix(count)) == nil) }
        #expect(AirDatagram.decode(good + [0]) == nil)
        for index in 0..<6 {
            var bad = good
            bad[index] ^= 1
            #expect(AirDatagram.decode(bad) == nil)
        }
        #expect(AirDatagram.decode(Array("Bair".utf8) + [1, 25] + [UInt8](repeating: 0, count: 25)) == nil)
        #expect(AirDatagram.decode(Array("Bair".utf8) + [1, 255] + [UInt8](repeating: 0, count: 255)) == nil)
        #expect(AirDatagram.decode([UInt8](repeating: 0x42, count: 100_000)) == nil)
    }

    @Test("Random bytes never cause a crash")
    func randomBytes() {
        var random = SplitMix64(state: 1)
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...64, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if Bool.random(using: &random) { bytes.replaceSubrange(0..<min(4, count), with: "Bair".utf8.prefix(count)) }
            if let payload = AirDatagram.decode(bytes) { #expect(AirDatagram.encode(payload) == bytes) }
        }
    }

    @Test("A name that could leave the directory, or that is not a radio's, is refused as an address")
    func hostileNames() {
        for name in ["", ".", "..", "a/b", "../a", "a.b", "a b", "é", "a\0", "a\n", String(repeating: "a", count: 33)] {
            #expect(!SocketDirectory.isValid(name))
        }
        #expect(SocketDirectory.isValid("Laptop_1-a"))
        #expect(SocketDirectory.address(inName: "a.air", suffix: "air") == "a")
        for name in ["a.air.air", "a.128", ".air", "conditions.json"] {
            #expect(SocketDirectory.address(inName: name, suffix: "air") == nil)
        }
    }
}
