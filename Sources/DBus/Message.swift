// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// One reference to a message of libdbus.
///
/// `Sendable` is unchecked, because libdbus counts references atomically and nothing changes a
/// message after it was built here or received.
final class Message: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    /// Takes ownership of a new message, unless libdbus had no memory for it.
    private convenience init(created pointer: OpaquePointer?) throws {
        guard let pointer else { throw Self.noMemory }
        self.init(adopting: pointer)
    }

    deinit { dbus_message_unref(pointer) }

    static var noMemory: DBusError { .limit("no memory for a message") }

    /// Creates a method call from checked parts.
    static func call(
        destination: String, path: String, interface: String, member: String, arguments: [DBusValue]
    ) throws -> Message {
        guard Syntax.isBusName(destination) else { throw DBusError.invalid("invalid bus name '\(destination)'") }
        try check(path: path, interface: interface, member: member)
        let message = try Message(created: dbus_message_new_method_call(destination, path, interface, member))
        try MessageEncoder.append(arguments, to: message.pointer)
        return message
    }

    /// Creates a signal from checked parts.
    static func signal(
        path: String, interface: String, member: String, arguments: [DBusValue], destination: String?
    ) throws -> Message {
        try check(path: path, interface: interface, member: member)
        let message = try Message(created: dbus_message_new_signal(path, interface, member))
        if let destination {
            guard Syntax.isBusName(destination) else { throw DBusError.invalid("invalid bus name '\(destination)'") }
            guard dbus_message_set_destination(message.pointer, destination) != 0 else { throw noMemory }
        }
        try MessageEncoder.append(arguments, to: message.pointer)
        return message
    }

    /// Creates the reply to a call.
    static func reply(to call: Message, arguments: [DBusValue]) throws -> Message {
        let message = try Message(created: dbus_message_new_method_return(call.pointer))
        try MessageEncoder.append(arguments, to: message.pointer)
        return message
    }

    /// Creates the error reply to a call, without characters that D-Bus cannot carry. Returns `nil`
    /// only when memory runs out.
    static func error(to call: Message, _ error: DBusError) -> Message? {
        let name = Syntax.isErrorName(error.name) ? error.name : DBusError.failed
        let text = String(error.message.unicodeScalars.filter { $0 != "\0" })
        guard let pointer = dbus_message_new_error(call.pointer, name, text) else { return nil }
        let message = Message(adopting: pointer)
        // If the details cannot be appended, send the error without them.
        try? MessageEncoder.append(error.details, to: pointer)
        return message
    }

    /// Returns the parts of a call that its reply needs, without the arguments.
    ///
    /// A call that is being answered must not keep its arguments in memory. While too many bytes of
    /// messages are kept, the connection reads nothing more from the bus.
    func withoutArguments() throws -> Message {
        let message = try Message(created: dbus_message_new_method_call(nil, "/", nil, "Call"))
        guard dbus_message_set_sender(message.pointer, sender) != 0 else { throw Self.noMemory }
        dbus_message_set_serial(message.pointer, dbus_message_get_serial(pointer))
        dbus_message_set_no_reply(message.pointer, dbus_message_get_no_reply(pointer))
        return message
    }

    private static func check(path: String, interface: String, member: String) throws {
        guard Syntax.isPath(path) else { throw DBusError.invalid("invalid object path '\(path)'") }
        guard Syntax.isInterface(interface) else { throw DBusError.invalid("invalid interface '\(interface)'") }
        guard Syntax.isMember(member) else { throw DBusError.invalid("invalid member '\(member)'") }
    }
}

extension Message {
    private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

    var type: Int32 { dbus_message_get_type(pointer) }
    var sender: String? { text(dbus_message_get_sender(pointer)) }
    var path: String? { text(dbus_message_get_path(pointer)) }
    var interface: String? { text(dbus_message_get_interface(pointer)) }
    var member: String? { text(dbus_message_get_member(pointer)) }
    var signature: String { text(dbus_message_get_signature(pointer)) ?? "" }
    var errorName: String? { text(dbus_message_get_error_name(pointer)) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
    var expectsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

    /// Returns the arguments, or the error that an error message contains.
    func result(limits: DBusLimits) -> Result<[DBusValue], any Error> {
        Result {
            let arguments = try MessageDecoder.arguments(of: pointer, limits: limits)
            if type == DBUS_MESSAGE_TYPE_ERROR {
                throw DBusError(
                    name: errorName ?? DBusError.failed, message: arguments.first?.stringValue ?? "",
                    details: Array(arguments.dropFirst()))
            }
            return arguments
        }
    }
}
