// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The attributes of a message: values by their types. Each attribute contains its own length.
struct NetlinkAttributes {
    private var values: [Int: ArraySlice<UInt8>] = [:]

    /// Reads attributes. Returns nil if one of their lengths is wrong. If several attributes have
    /// the same type, the first one is used.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        let head = MemoryLayout<rtattr>.size
        while !rest.isEmpty {
            guard let header = rest.load(rtattr.self) else { return nil }
            let length = Int(header.rta_len)
            guard length >= head, length <= rest.count else { return nil }
            let type = Int(header.rta_type) & Self.typeMask
            if values[type] == nil { values[type] = rest.prefix(length).dropFirst(head) }
            rest = rest.dropFirst(NetlinkMessage.aligned(length))
        }
    }

    /// The bits of a type without the flags `NLA_F_NESTED` and `NLA_F_NET_BYTEORDER`.
    private static let typeMask = 0x3FFF

    /// Returns the value of an attribute, or nil if it is missing.
    subscript(_ type: Int) -> ArraySlice<UInt8>? { values[type] }

    /// Returns the number in an attribute, or nil if the attribute does not have four bytes.
    func number(_ type: Int) -> UInt32? {
        guard let value = values[type], value.count == MemoryLayout<UInt32>.size else { return nil }
        return value.load(UInt32.self)
    }

    /// Returns the text in an attribute, which ends at a zero byte.
    func text(_ type: Int) -> String? { values[type].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }

    /// Returns the IP address in an attribute, or nil if it does not have the family's length.
    func address(_ type: Int, family: UInt8) -> [UInt8]? {
        guard let value = values[type], value.count == Self.addressLength(family) else { return nil }
        return Array(value)
    }

    /// Returns the length of a family's addresses: 4 for IPv4, 16 for IPv6, nil for all others.
    static func addressLength(_ family: UInt8) -> Int? {
        switch CInt(family) {
        case AF_INET: 4
        case AF_INET6: 16
        default: nil
        }
    }

    /// Returns the bytes of one attribute. The length of the value must need no padding.
    static func bytes(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        var header = rtattr()
        header.rta_len = UInt16(MemoryLayout<rtattr>.size + value.count)
        header.rta_type = UInt16(type)
        return NetlinkMessage.bytes(of: header) + value
    }
}
