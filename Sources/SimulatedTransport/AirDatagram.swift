// SPDX-License-Identifier: Apache-2.0

/// One advertisement on the simulated air: `"Bair" 4 | version 1 | length 1 | payload`.
///
/// The kernel gives the name of the sending socket, which identifies the sender. A field of the
/// datagram could be forged.
enum AirDatagram {
    static let magic = Array("Bair".utf8)
    static let version: UInt8 = 1
    /// The maximum number of bytes that an advertisement carries.
    static let maximumPayload = 24
    static let headerLength = 6
    /// The length of the longest valid datagram.
    static let maximumLength = headerLength + maximumPayload

    /// Returns the datagram for a payload of at most 24 bytes.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        magic + [version, UInt8(truncatingIfNeeded: payload.count)] + payload
    }

    /// Returns the payload of a datagram, or nil if the bytes are not exactly one datagram.
    static func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Array(bytes.prefix(maximumLength + 1))
        guard bytes.count >= headerLength, bytes.count <= maximumLength, bytes.starts(with: magic),
            bytes[4] == version, Int(bytes[5]) == bytes.count - headerLength
        else { return nil }
        return Array(bytes[headerLength...])
    }
}
