// SPDX-License-Identifier: Apache-2.0

/// A D-Bus error, from a peer, from the bus or from this library.
///
/// The name is kept exactly as it was on the bus, so that a caller can distinguish
/// `org.bluez.Error.InProgress` from others. Source: D-Bus Specification, "Method Calls"; the names
/// below come from `dbus-protocol.h`.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
    public var name: String
    /// The peer's explanation for people, or an empty string.
    public var message: String
    /// The arguments after the message. Most errors have no such arguments, because GDBus shows the
    /// message of an error only if it is the only argument.
    public var details: [DBusValue]

    /// Creates an error. Thrown from a method handler, it becomes the error reply.
    ///
    /// - Parameters:
    ///   - name: A valid D-Bus error name. An invalid name is sent as
    ///     `org.freedesktop.DBus.Error.Failed`.
    ///   - message: One line for people.
    ///   - details: The arguments after the message, for a peer that has asked for them.
    public init(name: String, message: String, details: [DBusValue] = []) {
        self.name = name
        self.message = message
        self.details = details
    }

    /// The name, followed by the message if there is one.
    public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension DBusError {
    /// `org.freedesktop.DBus.Error.Failed`: something went wrong, see the message.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
    /// `org.freedesktop.DBus.Error.Disconnected`: the connection to the bus has ended.
    public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
    /// `org.freedesktop.DBus.Error.NoReply`: no reply came in time.
    public static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// `org.freedesktop.DBus.Error.TimedOut`: a time limit has passed, as at a service's start.
    public static let timedOut = "org.freedesktop.DBus.Error.TimedOut"
    /// `org.freedesktop.DBus.Error.InvalidArgs`: an argument has a wrong type or value.
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// `org.freedesktop.DBus.Error.LimitsExceeded`: too many calls, too much data or nesting.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// `org.freedesktop.DBus.Error.AccessDenied`: the policy of the bus or of the peer forbids it.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// `org.freedesktop.DBus.Error.ServiceUnknown`: the name has no owner and cannot be started.
    public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// `org.freedesktop.DBus.Error.NameHasNoOwner`: the name has no owner.
    public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// `org.freedesktop.DBus.Error.UnknownObject`: there is no object at that path.
    public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    /// `org.freedesktop.DBus.Error.UnknownInterface`: the object has no such interface.
    public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// `org.freedesktop.DBus.Error.UnknownMethod`: the interface has no such method.
    public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// `org.freedesktop.DBus.Error.UnknownProperty`: the interface has no such property.
    public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    /// `org.freedesktop.DBus.Error.PropertyReadOnly`: the property cannot be set.
    public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"

    /// Whether the peer reports that it has no such object, interface or method. Only a running
    /// peer reports this.
    var saysThatNothingIsThere: Bool { [Self.unknownObject, Self.unknownInterface, Self.unknownMethod].contains(name) }

    static func invalid(_ message: String) -> DBusError { DBusError(name: invalidArguments, message: message) }
    static func limit(_ message: String) -> DBusError { DBusError(name: limitsExceeded, message: message) }
    static var closed: DBusError {
        DBusError(name: disconnected, message: "the connection to the message bus is closed")
    }
}
