// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonProtocol
import Crypto
import Foundation

/// Measures how many beacons are opened each second, beside the HMACs that this needs.
struct Beacons: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open beacons of the circle and noise; compute as many HMACs; alternate, and print each rate.")

    @Option(help: "How often each is measured.")
    var rounds = 9

    @Option(help: "Seconds of one measurement.")
    var seconds = 0.5

    func validate() throws {
        guard (1...99).contains(rounds), (0.01...60).contains(seconds) else {
            throw ValidationError("1 to 99 rounds of 0.01 to 60 seconds")
        }
    }

    func run() async throws {
        let now: Int64 = 1_800_000_000
        let secret = CircleSecret()
        var cipher = BeaconCipher(secret: secret)
        guard let activity = ActivityHash(team: "org.example", type: "org.example.letters.write", secret: secret) else {
            throw BenchFailure("no hash of the type")
        }
        var random = SystemRandomNumberGenerator()
        let own = (0..<1_024).map { sequence in
            cipher.seal(
                Beacon(device: 7, activity: activity, flags: [], sequence: UInt32(sequence), psm: 128), at: now)
        }
        let version = own[0][0]
        let noise = (0..<1_024).map { _ in
            [version] + (1..<Beacon.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        let tags = own.map { Array($0[1..<9]) }
        let contents = own.map { Array($0[8..<24]) }
        let keyed = HMAC<SHA256>(key: SymmetricKey(size: .bits256))

        var used: UInt8 = 0
        for _ in 0..<rounds {
            let opened = rate { cipher.open(own[$0 & 1_023], at: now) != nil }
            let refused = rate { cipher.open(noise[$0 & 1_023], at: now) == nil }
            // The minimum work of opening: an HMAC of 8 bytes and one of 16, with keys already set.
            let hmacs = rate { index in
                var stream = keyed
                stream.update(data: tags[index & 1_023])
                var mac = keyed
                mac.update(data: contents[index & 1_023])
                used &+= stream.finalize().withUnsafeBytes { $0[0] } ^ mac.finalize().withUnsafeBytes { $0[0] }
                return true
            }
            guard let opened, let refused, let hmacs else {
                throw BenchFailure("a beacon of the circle did not open, or noise did")
            }
            try report(["opened": opened, "refused": refused, "hmacPairs": hmacs])
        }
    }

    /// Returns how often `body` runs each second, or `nil` if it returned `false`.
    private func rate(_ body: (Int) -> Bool) -> Double? {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        var count = 0
        repeat {
            for _ in 0..<256 {
                guard body(count) else { return nil }
                count += 1
            }
        } while clock.now < end
        return Double(count) / (clock.now - start).seconds
    }
}
