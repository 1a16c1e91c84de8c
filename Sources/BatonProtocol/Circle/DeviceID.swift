// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto
import FoundationEssentials

/// Which device: a digest of its three public keys, so that nobody else can have the same.
public struct DeviceID: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// The length of a device id in bytes.
    public static let length = 32

    /// A device id from its 32 bytes; nil for any other length.
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

    /// The first four bytes, big-endian: how a beacon names the device. Unique in a circle.
    public var short: UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

extension DeviceID: Comparable {
    /// Orders devices by the bytes of their ids.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension DeviceID: CustomStringConvertible {
    /// The first four bytes in hex: what the user and the log are shown.
    public var description: String { short.hexadecimal() }
}
