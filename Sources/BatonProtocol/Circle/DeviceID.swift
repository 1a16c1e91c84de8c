// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto
import FoundationEssentials

/// The identifier of a device.
///
/// The identifier is a digest of the device's three public keys, so that no other device can have
/// the same one.
public struct DeviceID: Hashable, Sendable {
    /// The 32 bytes of the id.
    public let bytes: [UInt8]

    /// The length of a device id in bytes.
    public static let length = 32

    /// Reads an id; returns nil unless there are exactly 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    init(digestOf certificateKey: [UInt8], _ signingKey: [UInt8], _ agreementKey: [UInt8]) {
        var hash = SHA256()
        hash.update(data: Array("baton device 1".utf8))
        hash.update(data: certificateKey)
        hash.update(data: signingKey)
        hash.update(data: agreementKey)
        bytes = Array(hash.finalize())
    }

    /// The first four bytes as a big-endian number, for beacons. No two members of a circle have
    /// the same number.
    public var short: UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

extension DeviceID: Comparable {
    /// Compares the bytes of the ids.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension DeviceID: CustomStringConvertible {
    /// The first four bytes in hexadecimal, for the user and the log.
    public var description: String { short.hexadecimal() }
}
