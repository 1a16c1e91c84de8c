// SPDX-License-Identifier: Apache-2.0

extension DBusValue {
    /// Returns an array of strings, `as`.
    public static func strings(_ strings: some Sequence<String>) -> DBusValue {
        .array(elementSignature: "s", strings.map { .string($0) })
    }

    /// Returns a property dictionary, `a{sv}`. The entries are sorted, so that equal dictionaries
    /// give equal messages.
    public static func properties(_ values: [String: DBusValue]) -> DBusValue {
        let entries = values.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) }
        return .dictionary(keySignature: "s", valueSignature: "v", entries)
    }

    /// The value without the variants around it.
    public var unwrapped: DBusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// The value of a `b`, directly or in a variant.
    public var boolValue: Bool? { if case .bool(let value) = unwrapped { value } else { nil } }

    /// The value of a `d`, directly or in a variant.
    public var doubleValue: Double? { if case .double(let value) = unwrapped { value } else { nil } }

    /// The value of an `s`, directly or in a variant. Object paths and signatures are not strings.
    public var stringValue: String? { if case .string(let value) = unwrapped { value } else { nil } }

    /// The value of an `o`, directly or in a variant.
    public var objectPathValue: String? { if case .objectPath(let value) = unwrapped { value } else { nil } }

    /// The descriptor of an `h`, directly or in a variant.
    public var descriptorValue: OwnedDescriptor? { if case .unixFD(let value) = unwrapped { value } else { nil } }

    /// Returns the value of an integer of any width, directly or in a variant, if it fits the type.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch unwrapped {
        case .byte(let value): Integer(exactly: value)
        case .int16(let value): Integer(exactly: value)
        case .uint16(let value): Integer(exactly: value)
        case .int32(let value): Integer(exactly: value)
        case .uint32(let value): Integer(exactly: value)
        case .int64(let value): Integer(exactly: value)
        case .uint64(let value): Integer(exactly: value)
        default: nil
        }
    }

    /// The elements of an array, directly or in a variant. Bytes and dictionaries are not arrays.
    public var arrayValue: [DBusValue]? { if case .array(_, let elements) = unwrapped { elements } else { nil } }

    /// The members of a structure, directly or in a variant.
    public var structureValue: [DBusValue]? { if case .structure(let members) = unwrapped { members } else { nil } }

    /// The bytes of an `ay`, directly or in a variant.
    public var bytesValue: [UInt8]? { if case .bytes(let bytes) = unwrapped { bytes } else { nil } }

    /// The strings of an `as`, directly or in a variant.
    public var stringsValue: [String]? {
        guard case .array("s", let elements) = unwrapped else { return nil }
        return elements.compactMap { if case .string(let string) = $0 { string } else { nil } }
    }

    /// The entries of a dictionary, directly or in a variant.
    public var entriesValue: [Entry]? { if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil } }

    /// An `a{sv}` as a Swift dictionary, with the values unwrapped from their variants. If a key
    /// occurs more than once, the last entry counts.
    public var propertiesValue: [String: DBusValue]? {
        guard case .dictionary("s", "v", let entries) = unwrapped else { return nil }
        var values: [String: DBusValue] = [:]
        for entry in entries {
            guard case .string(let key) = entry.key else { return nil }
            values[key] = entry.value.unwrapped
        }
        return values
    }

    /// An `a{s...}` or `a{o...}` as a Swift dictionary with unchanged values. The result is `nil`
    /// for keys of another type.
    public var keyedValues: [String: DBusValue]? {
        guard let entries = entriesValue else { return nil }
        var values: [String: DBusValue] = [:]
        for entry in entries {
            switch entry.key {
            case .string(let key), .objectPath(let key): values[key] = entry.value
            default: return nil
            }
        }
        return values
    }
}
