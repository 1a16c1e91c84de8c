// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Reads a message's arguments within limits. libdbus has validated the bytes. This type checks the
/// amounts.
struct MessageDecoder {
    private let limits: DBusLimits
    private var values = 0
    private var bytes = 0

    private init(limits: DBusLimits) { self.limits = limits }

    /// Returns all arguments of a message. Throws `LimitsExceeded` when the message is too deep or
    /// too large.
    static func arguments(of message: OpaquePointer, limits: DBusLimits) throws -> [DBusValue] {
        var size = 0
        return try arguments(of: message, limits: limits, size: &size)
    }

    /// Returns all arguments of a message, and its size.
    ///
    /// - Parameter size: Set to the number of values, where 32 bytes of strings and byte arrays
    ///   count as one value. This number is also set when the function throws.
    static func arguments(of message: OpaquePointer, limits: DBusLimits, size: inout Int) throws -> [DBusValue] {
        var decoder = MessageDecoder(limits: limits)
        // Bytes are copied at once, which is cheaper than building values.
        defer { size = decoder.values + decoder.bytes / 32 }
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return try decoder.sequence(&iterator, depth: 0)
    }

    private mutating func sequence(_ iterator: inout DBusMessageIter, depth: Int) throws -> [DBusValue] {
        var result: [DBusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            result.append(try value(&iterator, depth: depth))
            dbus_message_iter_next(&iterator)
        }
        return result
    }

    private mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws -> DBusValue {
        guard depth <= limits.depth else { throw DBusError.limit("values more than \(limits.depth) levels deep") }
        try count(1)
        guard let type = Unicode.Scalar(UInt32(dbus_message_iter_get_arg_type(&iterator))) else {
            throw DBusError.invalid("an unknown type")
        }
        switch type {
        case "y": return .byte(basic(UInt8(0), &iterator))
        case "b": return .bool(basic(dbus_bool_t(0), &iterator) != 0)
        case "n": return .int16(basic(Int16(0), &iterator))
        case "q": return .uint16(basic(UInt16(0), &iterator))
        case "i": return .int32(basic(Int32(0), &iterator))
        case "u": return .uint32(basic(UInt32(0), &iterator))
        case "x": return .int64(basic(Int64(0), &iterator))
        case "t": return .uint64(basic(UInt64(0), &iterator))
        case "d": return .double(basic(Double(0), &iterator))
        case "s": return .string(try string(&iterator))
        case "o": return .objectPath(try string(&iterator))
        case "g": return .signature(try string(&iterator))
        case "h":
            // This descriptor is a duplicate of the message's own, and must be closed here.
            let descriptor = basic(Int32(-1), &iterator)
            guard descriptor >= 0 else {
                throw DBusError.limit("a descriptor (h) that did not come with the message, or for which none is left")
            }
            return .unixFD(OwnedDescriptor(adopting: descriptor))
        case "a": return try array(&iterator, depth: depth)
        case "r":
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .structure(try sequence(&inner, depth: depth + 1))
        case "v":
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .variant(try value(&inner, depth: depth + 1))
        default: throw DBusError.invalid("a value of the unknown type '\(type)'")
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter, depth: Int) throws -> DBusValue {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        guard let text = dbus_message_iter_get_signature(&iterator) else {
            throw DBusError.limit("no memory for a signature")
        }
        defer { dbus_free(text) }
        let element = String(String(cString: text).dropFirst())
        if element == "y" { return try byteArray(&inner) }
        guard element.hasPrefix("{") else {
            return .array(elementSignature: element, try sequence(&inner, depth: depth + 1))
        }
        let entryTypes = element.dropFirst().dropLast()
        var entries: [DBusValue.Entry] = []
        while dbus_message_iter_get_arg_type(&inner) != 0 {
            var pair = DBusMessageIter()
            dbus_message_iter_recurse(&inner, &pair)
            let key = try value(&pair, depth: depth + 2)
            dbus_message_iter_next(&pair)
            entries.append(DBusValue.Entry(key, try value(&pair, depth: depth + 2)))
            dbus_message_iter_next(&inner)
        }
        return .dictionary(
            keySignature: String(entryTypes.prefix(1)), valueSignature: String(entryTypes.dropFirst()), entries)
    }

    private mutating func byteArray(_ inner: inout DBusMessageIter) throws -> DBusValue {
        guard dbus_message_iter_get_arg_type(&inner) != 0 else { return .bytes([]) }
        var start: UnsafePointer<UInt8>?
        var length: Int32 = 0
        dbus_message_iter_get_fixed_array(&inner, &start, &length)
        try spend(Int(length))
        return .bytes([UInt8](UnsafeBufferPointer(start: start, count: Int(length))))
    }

    private func basic<Value: BitwiseCopyable>(_ initial: Value, _ iterator: inout DBusMessageIter) -> Value {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private mutating func string(_ iterator: inout DBusMessageIter) throws -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        guard let pointer else { throw DBusError.invalid("a string without contents") }
        let text = String(cString: pointer)
        try spend(text.utf8.count)
        guard hasFewMarks(text) else {
            throw DBusError.limit("a string with more than \(limits.combiningMarks) combining marks in a row")
        }
        return text
    }

    private func hasFewMarks(_ text: String) -> Bool {
        // Scalars below U+0300 do not combine. All others begin with a byte of at least 0xCC.
        guard text.utf8.count > limits.combiningMarks, text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > limits.combiningMarks { return false }
        }
        return true
    }

    private mutating func spend(_ more: Int) throws {
        bytes += more
        guard bytes <= limits.bytes else {
            throw DBusError.limit("a message with more than \(limits.bytes) bytes of strings and arrays of bytes")
        }
    }

    private mutating func count(_ more: Int) throws {
        values += more
        guard values <= limits.values else { throw DBusError.limit("a message of more than \(limits.values) values") }
    }
}
