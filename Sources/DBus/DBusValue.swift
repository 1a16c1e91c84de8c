// SPDX-License-Identifier: Apache-2.0

/// One D-Bus value of any type. Source: D-Bus Specification, "Type System".
public enum DBusValue: Hashable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`: UTF-8 without NUL, which D-Bus cannot carry.
    case string(String)
    /// `o`
    case objectPath(String)
    /// `g`
    case signature(String)
    /// `h`
    case unixFD(OwnedDescriptor)
    /// `ay`
    case bytes([UInt8])
    /// `a` of any type but bytes and dictionary entries. Every element has the type of the
    /// signature.
    indirect case array(elementSignature: String, [DBusValue])
    /// `(...)` with at least one member.
    case structure([DBusValue])
    /// `a{..}` with keys of a basic type. The order of the entries is kept.
    indirect case dictionary(keySignature: String, valueSignature: String, [Entry])
    /// `v`
    indirect case variant(DBusValue)

    /// One entry of a dictionary.
    public struct Entry: Hashable, Sendable {
        /// The key, which has a basic type.
        public var key: DBusValue
        /// The value.
        public var value: DBusValue

        /// Creates an entry.
        public init(_ key: DBusValue, _ value: DBusValue) {
            self.key = key
            self.value = value
        }
    }

    /// The D-Bus signature of this value, such as `a{sv}`.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .unixFD: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .variant: "v"
        }
    }
}

extension Sequence where Element == DBusValue {
    /// The concatenated signatures of all values, as in a message's header.
    public var signature: String { map(\.signature).joined() }
}
