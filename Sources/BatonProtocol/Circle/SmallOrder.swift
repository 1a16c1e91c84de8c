// SPDX-License-Identifier: Apache-2.0

/// The public keys of Curve25519 whose order divides the cofactor 8, in every encoding.
///
/// Anybody can make signatures that such a signing key accepts. Every agreement with such an
/// agreement key is all zero. The libraries do not reject such keys when they read them.
///
/// Sources: RFC 7748, section 6.1, and RFC 8032, section 5.1. "Taming the many EdDSAs" (Chalkias,
/// Garillot, Nikolaenko 2020), table 1, lists the encodings.
enum SmallOrder {
    /// Returns 2^255 − 19, or a number near it with another last byte, in little-endian order.
    private static func prime(_ last: UInt8) -> [UInt8] { [last] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
    private static func small(_ first: UInt8) -> [UInt8] { [first] + [UInt8](repeating: 0, count: 31) }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    /// y = 0, 1, −1, the two values of order 8, and 0 and 1 in their unreduced forms.
    private static let ed25519: Set<[UInt8]> = [
        small(0), small(1), prime(0xEC), prime(0xED), prime(0xEE),
        bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    ]

    /// u = 0, 1, −1, the two values of order 8, and 0 and 1 in their unreduced forms.
    private static let x25519: Set<[UInt8]> = [
        small(0), small(1), prime(0xEC), prime(0xED), prime(0xEE),
        bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        bytes("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    ]

    static func isEd25519(_ key: [UInt8]) -> Bool { ed25519.contains(withoutTopBit(key)) }
    static func isX25519(_ key: [UInt8]) -> Bool { x25519.contains(withoutTopBit(key)) }

    /// Clears the top bit, which is the sign of x in Ed25519, and is ignored in X25519.
    private static func withoutTopBit(_ key: [UInt8]) -> [UInt8] {
        var key = key
        if let last = key.indices.last { key[last] &= 0x7F }
        return key
    }
}
