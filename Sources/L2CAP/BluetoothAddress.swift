// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth

/// The address of a Bluetooth LE device: six octets and the kind of address.
///
/// The written form is `C0:FF:EE:00:00:01/public`, with the most significant octet first, as in
/// BlueZ.
public struct BluetoothAddress: Hashable, Sendable {
    /// The kind of an address. Two devices may have the same octets with different kinds.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An address that the manufacturer assigned to the hardware.
        case `public`
        /// A static address, or a resolvable or non-resolvable private address (Core Specification,
        /// volume 6, part B, 1.3.2).
        case random
    }

    /// The six octets as one number of 48 bits. The first octet written is the most significant.
    public let value: UInt64
    /// The kind of address.
    public let kind: Kind

    /// Creates an address from its 48 bits. Higher bits are ignored.
    public init(value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Parses six pairs of hexadecimal digits joined by colons, as BlueZ prints them.
    ///
    /// - Returns: `nil` for any other text.
    public init?(octets text: some StringProtocol, kind: Kind) {
        let bytes = Array(text.utf8.prefix(18))
        guard bytes.count == 17 else { return nil }
        var value: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
            } else {
                guard let digit = Self.hexadecimalDigit(byte) else { return nil }
                value = value << 4 | UInt64(digit)
            }
        }
        self.init(value: value, kind: kind)
    }

    /// The octets without the kind, as in BlueZ's `Address` properties.
    public var octets: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for shift in stride(from: 40, through: 0, by: -8) {
            let octet = UInt8(truncatingIfNeeded: value >> UInt64(shift))
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension BluetoothAddress: LosslessStringConvertible {
    /// Parses the written form, `C0:FF:EE:00:00:01/public`.
    public init?(_ description: String) {
        let parts = description.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[1])) else { return nil }
        self.init(octets: parts[0], kind: kind)
    }

    /// The written form: `C0:FF:EE:00:00:01/public`.
    public var description: String { "\(octets)/\(kind.rawValue)" }
}

extension BluetoothAddress {
    /// The octets in the kernel's order, the least significant first.
    var kernelOctets: bdaddr_t {
        func octet(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
        return bdaddr_t(b: (octet(0), octet(1), octet(2), octet(3), octet(4), octet(5)))
    }

    /// The kind as the kernel's number.
    var kernelKind: UInt8 {
        switch kind {
        case .public: UInt8(BDADDR_LE_PUBLIC)
        case .random: UInt8(BDADDR_LE_RANDOM)
        }
    }

    /// Creates an address from the kernel's form. Returns `nil` if it is not an LE address.
    init?(kernelOctets: bdaddr_t, kernelKind: UInt8) {
        let kind: Kind
        switch CInt(kernelKind) {
        case CInt(BDADDR_LE_PUBLIC): kind = .public
        case CInt(BDADDR_LE_RANDOM): kind = .random
        default: return nil
        }
        let octets = kernelOctets.b
        let value = [octets.5, octets.4, octets.3, octets.2, octets.1, octets.0].reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        self.init(value: value, kind: kind)
    }
}
