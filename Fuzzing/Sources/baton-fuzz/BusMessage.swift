// SPDX-License-Identifier: Apache-2.0

import CDBus
@testable import DBus

/// D-Bus messages as bytes.
enum BusMessage {
    /// Returns the bytes of a call with arguments.
    static func bytes(_ arguments: [DBusValue]) throws -> [UInt8] {
        let message = try Message.call(
            destination: "org.example", path: "/", interface: "org.example.I", member: "M", arguments: arguments)
        dbus_message_set_serial(message.pointer, 1)
        var bytes: UnsafeMutablePointer<CChar>?
        var count: CInt = 0
        guard dbus_message_marshal(message.pointer, &bytes, &count) != 0, let bytes else {
            throw DBusError.limit("no memory for a message")
        }
        defer { dbus_free(bytes) }
        return UnsafeBufferPointer(start: bytes, count: Int(count)).map { UInt8(bitPattern: $0) }
    }

    /// Returns the arguments in a message's bytes, checked like those of a received message.
    static func arguments(_ bytes: [UInt8]) throws -> [DBusValue] {
        let text = bytes.map { CChar(bitPattern: $0) }
        guard let pointer = dbus_message_demarshal(text, CInt(text.count), nil) else {
            throw DBusError.invalid("no message")
        }
        let message = Message(adopting: pointer)
        return try MessageDecoder.arguments(of: message.pointer, limits: DBusLimits())
    }
}
