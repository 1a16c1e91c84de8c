// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Writes values into a message, after checking everything that libdbus only asserts.
struct MessageEncoder {
    /// The largest nesting depth. The bus closes the connection after a deeper message.
    private static let maximumDepth = 64
    /// The largest size of one message, well below the bus's own 128 MiB.
    private static let maximumBytes = 32 << 20

    private var bytes = 0

    /// Appends arguments to a message that was not sent yet.
    static func append(_ values: [DBusValue], to message: OpaquePointer) throws {
        guard values.signature.utf8.count <= 255 else { throw DBusError.limit("a signature of more than 255 bytes") }
        var encoder = MessageEncoder()
        for value in values { try encoder.check(value, depth: 0) }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values { try append(value, to: &iterator) }
    }

    private mutating func check(_ value: DBusValue, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw DBusError.limit("values more than 64 levels deep") }
        bytes += 8
        switch value {
        case .string(let string):
            bytes += string.utf8.count
            if Syntax.hasNUL(string) { throw DBusError.invalid("D-Bus cannot carry a string with a NUL character") }
        case .objectPath(let path):
            bytes += path.utf8.count
            if !Syntax.isPath(path) { throw DBusError.invalid("invalid object path '\(path)'") }
        case .signature(let signature):
            if !Syntax.isSignature(signature) { throw DBusError.invalid("invalid signature '\(signature)'") }
        case .bytes(let content): bytes += content.count
        case .array(let element, let elements):
            guard element != "y" else { throw DBusError.invalid("an array of bytes is written as bytes") }
            guard Syntax.isSingleType(element) else { throw DBusError.invalid("invalid element type '\(element)'") }
            for item in elements {
                guard item.signature == element else {
                    throw DBusError.invalid("an array of '\(element)' holds a '\(item.signature)'")
                }
                try check(item, depth: depth + 1)
            }
        case .structure(let members):
            guard !members.isEmpty else { throw DBusError.invalid("D-Bus has no empty structure") }
            for member in members { try check(member, depth: depth + 1) }
        case .dictionary(let key, let valueType, let entries):
            guard Syntax.isSingleType("a{" + key + valueType + "}") else {
                throw DBusError.invalid("invalid entry type '{\(key)\(valueType)}'")
            }
            for entry in entries {
                guard entry.key.signature == key, entry.value.signature == valueType else {
                    throw DBusError.invalid(
                        "a dictionary of '{\(key)\(valueType)}' holds a "
                            + "'{\(entry.key.signature)\(entry.value.signature)}'")
                }
                try check(entry.key, depth: depth + 2)
                try check(entry.value, depth: depth + 2)
            }
        case .variant(let inner):
            guard Syntax.isSingleType(inner.signature) else {
                throw DBusError.invalid("a variant cannot hold a '\(inner.signature)'")
            }
            try check(inner, depth: depth + 1)
        case .unixFD(let descriptor):
            if descriptor.withDescriptor({ $0 == nil }) { throw DBusError.invalid("the descriptor is closed") }
        default: break
        }
        guard bytes <= Self.maximumBytes else { throw DBusError.limit("a message of more than 32 MiB") }
    }

    private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) throws {
        switch value {
        case .byte(let value): try basic("y", value, &iterator)
        case .bool(let value): try basic("b", dbus_bool_t(value ? 1 : 0), &iterator)
        case .int16(let value): try basic("n", value, &iterator)
        case .uint16(let value): try basic("q", value, &iterator)
        case .int32(let value): try basic("i", value, &iterator)
        case .uint32(let value): try basic("u", value, &iterator)
        case .int64(let value): try basic("x", value, &iterator)
        case .uint64(let value): try basic("t", value, &iterator)
        case .double(let value): try basic("d", value, &iterator)
        case .string(let value): try value.withCString { try basic("s", $0, &iterator) }
        case .objectPath(let value): try value.withCString { try basic("o", $0, &iterator) }
        case .signature(let value): try value.withCString { try basic("g", $0, &iterator) }
        case .unixFD(let descriptor):
            try descriptor.withDescriptor { number in
                guard let number else { throw DBusError.invalid("the descriptor is closed") }
                try basic("h", number, &iterator)
            }
        case .bytes(let content):
            try container("a", "y", &iterator) { try fixed(content, &$0) }
        case .array(let element, let elements):
            try container("a", element, &iterator) { inner in
                for element in elements { try append(element, to: &inner) }
            }
        case .structure(let members):
            try container("r", nil, &iterator) { inner in
                for member in members { try append(member, to: &inner) }
            }
        case .dictionary(let key, let valueType, let entries):
            try container("a", "{" + key + valueType + "}", &iterator) { inner in
                for entry in entries {
                    try container("e", nil, &inner) { pair in
                        try append(entry.key, to: &pair)
                        try append(entry.value, to: &pair)
                    }
                }
            }
        case .variant(let value):
            try container("v", value.signature, &iterator) { try append(value, to: &$0) }
        }
    }

    private static func basic<Value: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ value: Value, _ iterator: inout DBusMessageIter
    ) throws {
        var value = value
        guard dbus_message_iter_append_basic(&iterator, Int32(type.value), &value) != 0 else {
            // Memory or file descriptors have run out, because libdbus duplicates descriptors here.
            throw DBusError.limit("no memory or no descriptor for a message")
        }
    }

    private static func fixed(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) throws {
        let isWritten = bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return dbus_message_iter_append_fixed_array(
                &iterator, Int32(UInt8(ascii: "y")), &start, Int32(buffer.count))
        }
        guard isWritten != 0 else { throw Message.noMemory }
    }

    private static func container(
        _ type: Unicode.Scalar, _ signature: String?, _ iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) throws -> Void
    ) throws {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, Int32(type.value), signature, &inner) != 0 else {
            throw Message.noMemory
        }
        do {
            try body(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inner) != 0 else {
            throw Message.noMemory
        }
    }
}
