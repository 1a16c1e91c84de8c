// SPDX-License-Identifier: Apache-2.0

/// The random bytes and the ephemeral key of one side, 32 bytes each, in their wire format.
struct PairingShare: Hashable, Sendable {
    let random: [UInt8]
    let key: [UInt8]

    var bytes: [UInt8] { random + key }

    init(random: [UInt8], key: [UInt8]) {
        self.random = random
        self.key = key
    }

    /// Reads a share; returns nil unless there are exactly 64 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == PairingFormat.shareByteCount else { return nil }
        random = Array(bytes.prefix(32))
        key = Array(bytes.dropFirst(32))
    }
}
