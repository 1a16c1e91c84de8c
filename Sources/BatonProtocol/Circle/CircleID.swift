// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Crypto

/// The identifier of a circle.
///
/// The identifier is a digest of the founder's id, so that the founder cannot be replaced.
public struct CircleID: Hashable, Sendable {
    /// The 16 bytes of the id.
    public let bytes: [UInt8]

    /// Reads an id; returns nil unless there are exactly 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Returns the id of the circle that a device founds.
    public init(founder: DeviceID) {
        var hash = SHA256()
        hash.update(data: Array("baton circle 1".utf8))
        hash.update(data: founder.bytes)
        bytes = Array(hash.finalize().prefix(16))
    }
}

extension CircleID: CustomStringConvertible {
    /// The first four bytes in hexadecimal.
    public var description: String { bytes.prefix(4).hexadecimal }
}
