// SPDX-License-Identifier: Apache-2.0

/// A side's random bytes and ephemeral key, 32 bytes each, as they travel.
struct PairingShare: Hashable, Sendable {
    let random: [UInt8]
    let key: [UInt8]

    var bytes: [UInt8] { random + key }

    init(random: [UInt8], key: [UInt8]) {
        self.random = random
        self.key = key
    }

    /// From its 64 bytes; nil for any other length.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == PairingFormat.shareByteCount else { return nil }
        random = Array(bytes.prefix(32))
        key = Array(bytes.dropFirst(32))
    }
}
