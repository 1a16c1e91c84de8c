// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// A beacon that was opened, with how long its bytes stay good.
public struct OpenedBeacon: Hashable, Sendable {
    /// What was sealed.
    public var beacon: Beacon
    /// The epoch under whose keys it opened.
    public var epoch: Int64
    /// How long, from the moment of opening, the very same bytes would still open here: at most 30
    /// minutes.
    public var validFor: Duration

    /// A beacon opened under an epoch's keys.
    public init(beacon: Beacon, epoch: Int64, validFor: Duration) {
        self.beacon = beacon
        self.epoch = epoch
        self.validFor = validFor
    }
}

/// Seals and opens beacons under one circle secret.
///
/// Keys of an epoch are derived once and kept for the epochs in use. Opening costs two HMACs for
/// each of at most three epochs, whatever the number of members.
public struct BeaconCipher: Sendable {
    /// Seconds of Unix time in an epoch.
    public static let epochSeconds: Int64 = 600

    private struct EpochKeys: Sendable {
        var epoch: Int64
        /// HMAC contexts that have taken their keys: a copy starts a computation.
        var mac: HMAC<SHA256>
        var encryption: HMAC<SHA256>
    }

    private let secret: CircleSecret
    private let label: [UInt8]
    /// This epoch's, the one before, the one after: in the order in which they are tried.
    private var keys: [EpochKeys] = []
    /// The version and the plaintext under trial, kept so that opening does not allocate it.
    private var scratch = [UInt8](repeating: 0, count: 1 + Beacon.plaintextByteCount)
    private var tag = [UInt8](repeating: 0, count: 8)

    /// A cipher under a circle's secret.
    public init(secret: CircleSecret) {
        self.secret = secret
        label = Array("baton beacon 1".utf8)
    }

    /// A cipher for hails between two devices, under the key that they share.
    public init(hailing key: PairwiseKey) {
        secret = key.hailSecret
        label = Array("baton hail 1".utf8)
    }

    /// The epoch of a moment: Unix seconds divided by 600, rounded down (before 1970 too).
    public static func epoch(at unixTime: Int64) -> Int64 {
        let (quotient, remainder) = unixTime.quotientAndRemainder(dividingBy: epochSeconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Seals a beacon for the epoch of a moment: 24 bytes. Equal beacons give equal bytes
    /// throughout an epoch.
    public mutating func seal(_ beacon: Beacon, at unixTime: Int64) -> [UInt8] {
        prepare(Self.epoch(at: unixTime))
        scratch[0] = Beacon.version
        beacon.write(into: &scratch, at: 1)
        var mac = keys[0].mac
        mac.update(data: scratch)
        var sealed = [UInt8](repeating: Beacon.version, count: Beacon.byteCount)
        for (index, byte) in mac.finalize().prefix(8).enumerated() {
            sealed[1 + index] = byte
            tag[index] = byte
        }
        var stream = keys[0].encryption
        stream.update(data: tag)
        for (index, byte) in stream.finalize().prefix(Beacon.plaintextByteCount).enumerated() {
            sealed[9 + index] = scratch[1 + index] ^ byte
        }
        return sealed
    }

    /// Opens what was received under the keys of this epoch, of the one before and of the one
    /// after.
    ///
    /// - Returns: `nil` for anything that no member of the circle sealed within those epochs:
    ///   another length or version, noise, another circle.
    public mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        guard payload.count == Beacon.byteCount, payload[0] == Beacon.version else { return nil }
        let now = Self.epoch(at: unixTime)
        prepare(now)
        for keys in keys where opens(payload, under: keys) {
            let elapsed = (unixTime % Self.epochSeconds + Self.epochSeconds) % Self.epochSeconds
            return OpenedBeacon(
                beacon: Beacon(reading: scratch, at: 1), epoch: keys.epoch,
                validFor: .seconds((keys.epoch - now + 2) * Self.epochSeconds - elapsed))
        }
        return nil
    }

    /// Finds the first of some payloads that opens under the keys of one of some epochs, which are
    /// derived for this alone: about seven HMACs an epoch, and two more for each payload.
    ///
    /// - Parameter payloads: Advertisements; what cannot be a beacon is passed over.
    /// - Returns: Which one opened, and what it says; `nil` when none does.
    public mutating func search(
        _ payloads: [[UInt8]], epochs: some Sequence<Int64>
    ) -> (index: Int, beacon: Beacon)? {
        let candidates = payloads.enumerated().filter {
            $0.element.count == Beacon.byteCount && $0.element[0] == Beacon.version
        }
        for epoch in epochs {
            let keys = makeKeys(of: epoch)
            for (index, payload) in candidates where opens(payload, under: keys) {
                return (index, Beacon(reading: scratch, at: 1))
            }
        }
        return nil
    }

    /// Whether a payload of the right length opens; its plaintext is in `scratch` then.
    private mutating func opens(_ payload: [UInt8], under keys: EpochKeys) -> Bool {
        for index in 0..<8 { tag[index] = payload[1 + index] }
        var stream = keys.encryption
        stream.update(data: tag)
        scratch[0] = Beacon.version
        stream.finalize().withUnsafeBytes { stream in
            for index in 0..<Beacon.plaintextByteCount { scratch[1 + index] = payload[9 + index] ^ stream[index] }
        }
        var mac = keys.mac
        mac.update(data: scratch)
        // All eight bytes are compared whatever they are: the time must not say how many were
        // right.
        let difference = mac.finalize().withUnsafeBytes { expected in
            (0..<8).reduce(UInt8(0)) { $0 | (expected[$1] ^ tag[$1]) }
        }
        return difference == 0
    }

    /// Makes the keys of an epoch and its neighbours the ones in use.
    private mutating func prepare(_ epoch: Int64) {
        guard keys.first?.epoch != epoch else { return }
        let known = keys
        keys = [epoch, epoch - 1, epoch + 1].map { wanted in
            known.first { $0.epoch == wanted } ?? makeKeys(of: wanted)
        }
    }

    private func makeKeys(of epoch: Int64) -> EpochKeys {
        let number = (0..<8).map { UInt8(truncatingIfNeeded: epoch >> (56 - 8 * $0)) }
        let derived = secret.derive(label + number, byteCount: 64)
        return EpochKeys(
            epoch: epoch, mac: HMAC(key: SymmetricKey(data: derived[..<32])),
            encryption: HMAC(key: SymmetricKey(data: derived[32...])))
    }
}
