// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// An opened beacon, and how long its bytes stay valid.
public struct OpenedBeacon: Hashable, Sendable {
    /// The plaintext of the beacon.
    public var beacon: Beacon
    /// The epoch whose keys opened the beacon.
    public var epoch: Int64
    /// How long this device can still open the same bytes: at most 30 minutes.
    public var validFor: Duration

    /// Creates a beacon that an epoch's keys opened.
    public init(beacon: Beacon, epoch: Int64, validFor: Duration) {
        self.beacon = beacon
        self.epoch = epoch
        self.validFor = validFor
    }
}

/// Seals and opens beacons with one circle secret.
///
/// The keys of an epoch are derived once, and kept for the epochs in use. Opening a beacon costs
/// two HMACs for each of at most three epochs, whatever the number of members.
///
/// A datagram is opened together with the identity of the network from which it came. The input is
/// the 25 bytes of the datagram, and then the 32 bytes of the identity
/// (``BeaconForm/openedByteCount``).
public struct BeaconCipher: Sendable {
    /// The length of an epoch, in seconds of Unix time.
    public static let epochSeconds: Int64 = 600

    private struct EpochKeys: Sendable {
        var epoch: Int64
        /// The HMAC contexts with the epoch's keys. Each computation starts from a copy.
        var mac: HMAC<SHA256>
        var encryption: HMAC<SHA256>
    }

    private let secret: CircleSecret
    private let form: BeaconForm
    private let label: [UInt8]
    /// The keys of the present epoch, the one before and the one after, in the order in which they
    /// are tried.
    private var keys: [EpochKeys] = []
    /// A buffer for the version, the plaintext and the network. It is used again for each beacon,
    /// to avoid allocations.
    private var scratch: [UInt8]
    private var tag = [UInt8](repeating: 0, count: 8)

    /// Creates a cipher for a circle's secret.
    public init(secret: CircleSecret, form: BeaconForm = .advertisement) {
        self.init(secret: secret, form: form, label: form.beaconLabel)
    }

    /// Creates a cipher for hails between two devices, from the key that they share.
    public init(hailing key: PairwiseKey, form: BeaconForm = .advertisement) {
        self.init(secret: key.hailSecret, form: form, label: form.hailLabel)
    }

    private init(secret: CircleSecret, form: BeaconForm, label: String) {
        (self.secret, self.form, self.label) = (secret, form, Array(label.utf8))
        scratch = [UInt8](repeating: 0, count: 1 + form.plaintextByteCount + form.networkByteCount)
    }

    /// Returns the epoch of a time: Unix seconds divided by 600, rounded down (before 1970 too).
    public static func epoch(at unixTime: Int64) -> Int64 {
        let (quotient, remainder) = unixTime.quotientAndRemainder(dividingBy: epochSeconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Seals a beacon for the epoch of a time, as 24 bytes or as the 25 of a datagram.
    ///
    /// Equal beacons give equal bytes throughout an epoch, in one network.
    ///
    /// - Parameter network: The identity of the network in which a datagram is sent, 32 bytes;
    ///   empty for an advertisement.
    public mutating func seal(_ beacon: Beacon, at unixTime: Int64, in network: [UInt8] = []) -> [UInt8] {
        precondition(network.count == form.networkByteCount, "a network's identity has another length")
        prepare(Self.epoch(at: unixTime))
        scratch[0] = form.version
        beacon.write(into: &scratch, at: 1, as: form)
        scratch.replaceSubrange((1 + form.plaintextByteCount)..., with: network)
        var mac = keys[0].mac
        mac.update(data: scratch)
        var sealed = [UInt8](repeating: form.version, count: form.byteCount)
        for (index, byte) in mac.finalize().prefix(8).enumerated() {
            sealed[1 + index] = byte
            tag[index] = byte
        }
        var stream = keys[0].encryption
        stream.update(data: tag)
        for (index, byte) in stream.finalize().prefix(form.plaintextByteCount).enumerated() {
            sealed[9 + index] = scratch[1 + index] ^ byte
        }
        return sealed
    }

    /// Opens received bytes with the keys of the present epoch, the one before or the one after.
    ///
    /// - Returns: The beacon; `nil` if these bytes were not sealed with the secret in one of these
    ///   epochs.
    public mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        guard form.fits(payload) else { return nil }
        let now = Self.epoch(at: unixTime)
        prepare(now)
        for keys in keys where opens(payload, under: keys) {
            let elapsed = (unixTime % Self.epochSeconds + Self.epochSeconds) % Self.epochSeconds
            return OpenedBeacon(
                beacon: Beacon(reading: scratch, at: 1, as: form), epoch: keys.epoch,
                validFor: .seconds((keys.epoch - now + 2) * Self.epochSeconds - elapsed))
        }
        return nil
    }

    /// Searches payloads for one that the keys of any of the given epochs can open.
    ///
    /// The keys are dropped after the search. Each epoch costs about seven HMACs, and two more for
    /// each payload.
    ///
    /// - Parameter payloads: Advertisements. An advertisement that cannot be a beacon is skipped.
    /// - Returns: The index of the payload and its beacon; `nil` if none can be opened.
    public mutating func search(
        _ payloads: [[UInt8]], epochs: some Sequence<Int64>
    ) -> (index: Int, beacon: Beacon)? {
        let candidates = payloads.enumerated().filter { form.fits($0.element) }
        for epoch in epochs {
            let keys = makeKeys(of: epoch)
            for (index, payload) in candidates where opens(payload, under: keys) {
                return (index, Beacon(reading: scratch, at: 1, as: form))
            }
        }
        return nil
    }

    /// Returns whether the keys open a payload of the right length.
    ///
    /// Puts the version, the plaintext and the network into `scratch`.
    private mutating func opens(_ payload: [UInt8], under keys: EpochKeys) -> Bool {
        for index in 0..<8 { tag[index] = payload[1 + index] }
        var stream = keys.encryption
        stream.update(data: tag)
        scratch[0] = form.version
        let length = form.plaintextByteCount
        stream.finalize().withUnsafeBytes { stream in
            for index in 0..<length { scratch[1 + index] = payload[9 + index] ^ stream[index] }
        }
        for index in form.byteCount..<form.openedByteCount { scratch[index - 8] = payload[index] }
        var mac = keys.mac
        mac.update(data: scratch)
        // Always compare all eight bytes, so that the time taken does not reveal how many match.
        let difference = mac.finalize().withUnsafeBytes { expected in
            (0..<8).reduce(UInt8(0)) { $0 | (expected[$1] ^ tag[$1]) }
        }
        return difference == 0
    }

    /// Prepares the keys of an epoch and its neighbours.
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

/// The ciphers of both forms.
extension Dictionary where Key == BeaconForm, Value == BeaconCipher {
    /// Creates the ciphers of a circle's secret, or none without a circle.
    public init(of secret: CircleSecret?) {
        self.init()
        guard let secret else { return }
        for form in BeaconForm.allCases { self[form] = BeaconCipher(secret: secret, form: form) }
    }

    /// Opens an advertisement or a datagram, as ``BeaconCipher/open(_:at:)`` does.
    public mutating func open(_ payload: [UInt8], at unixTime: Int64) -> OpenedBeacon? {
        guard let form = BeaconForm.allCases.first(where: { $0.fits(payload) }) else { return nil }
        return self[form]?.open(payload, at: unixTime)
    }
}
