// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Checks names and signatures, because libdbus ends the whole process when it is given an invalid
/// name or signature.
enum Syntax {
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
