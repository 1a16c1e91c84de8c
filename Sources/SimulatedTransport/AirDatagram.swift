// SPDX-License-Identifier: Apache-2.0

/// One advertisement on the simulated air: `"Bair" 4 | version 1 | length 1 | payload`.
///
/// Who sends it is the name of the sending socket, which the kernel tells, not a field that anybody
/// could fill in.
enum AirDatagram {
    static let magic = Array("Bair".utf8)
    static let version: UInt8 = 1
    /// What an advertisement carries at most.
    static let maximumPayload = 24
    static let headerLength = 6
    /// The longest datagram that means something.
    static let maximumLength = headerLength + maximumPayload

    /// The datagram for a payload of at most 24 bytes.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        magic + [version, UInt8(truncatingIfNeeded: payload.count)] + payload
    }

    /// The payload of a datagram; `nil` for whatever is not exactly one.
    static func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Array(bytes.prefix(maximumLength + 1))
        guard bytes.count >= headerLength, bytes.count <= maximumLength, bytes.starts(with: magic),
            bytes[4] == version, Int(bytes[5]) == bytes.count - headerLength
        else { return nil }
        return Array(bytes[headerLength...])
    }
}
