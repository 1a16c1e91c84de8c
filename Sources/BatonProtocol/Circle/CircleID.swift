// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto

/// Which circle: a digest of its founder's id, so that a circle's founder cannot be exchanged.
public struct CircleID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// A circle id from its 16 bytes; nil for any other length.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The circle that a device founds.
    public init(founder: DeviceID) {
        var hash = SHA256()
        hash.update(data: Array("baton circle 1".utf8))
        hash.update(data: founder.bytes)
        bytes = Array(hash.finalize().prefix(16))
    }
}

extension CircleID: CustomStringConvertible {
    /// The first four bytes in hex.
    public var description: String {
        bytes.prefix(4).hexadecimal
    }
}
