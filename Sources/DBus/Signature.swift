// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Checks of names and signatures; libdbus ends the whole process when it is handed an invalid one.
enum Syntax {
    /// The complete types of a valid signature, one by one; `nil` for an invalid signature.
    static func completeTypes(_ signature: String) -> [String]? {
        guard isSignature(signature) else { return nil }
        let bytes = Array(signature.utf8)
        var types: [String] = []
        var position = 0
        while position < bytes.count {
            let end = endOfType(bytes, from: position)
            types.append(String(decoding: bytes[position..<end], as: UTF8.self))
            position = end
        }
        return types
    }

    /// Where the complete type ends that begins at a position of a valid signature.
    private static func endOfType(_ bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position] == UInt8(ascii: "a") { position += 1 }
        var open = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
            default: break
            }
            position += 1
            if open == 0, bytes[position - 1] != UInt8(ascii: "a") { break }
        }
        return position
    }

    static func hasNUL(_ string: String) -> Bool { string.utf8.contains(0) }

    static func isSignature(_ string: String) -> Bool {
        !hasNUL(string) && dbus_signature_validate(string, nil) != 0
    }

    static func isSingleType(_ string: String) -> Bool {
        !hasNUL(string) && dbus_signature_validate_single(string, nil) != 0
    }

    static func isPath(_ string: String) -> Bool { !hasNUL(string) && dbus_validate_path(string, nil) != 0 }

    static func isInterface(_ string: String) -> Bool { !hasNUL(string) && dbus_validate_interface(string, nil) != 0 }

    static func isMember(_ string: String) -> Bool { !hasNUL(string) && dbus_validate_member(string, nil) != 0 }

    static func isErrorName(_ string: String) -> Bool { !hasNUL(string) && dbus_validate_error_name(string, nil) != 0 }

    static func isBusName(_ string: String) -> Bool { !hasNUL(string) && dbus_validate_bus_name(string, nil) != 0 }
}
