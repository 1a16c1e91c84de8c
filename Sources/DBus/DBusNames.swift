// SPDX-License-Identifier: Apache-2.0

/// The options of a request for a well-known name. Source: D-Bus Specification,
/// `org.freedesktop.DBus.RequestName`.
public struct DBusNameFlags: OptionSet, Hashable, Sendable {
    /// The bits in the bus's format.
    public var rawValue: UInt32
    /// Creates flags from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fail instead of waiting in the queue for the name.
    public static let doNotQueue = DBusNameFlags(rawValue: 4)
}

/// The result of a request for a name.
public enum DBusNameOutcome: UInt32, Hashable, Sendable {
    /// This connection is now the owner.
    case primaryOwner = 1
    /// Another connection is the owner. This connection waits in the queue.
    case inQueue = 2
    /// Another connection is the owner.
    case exists = 3
    /// This connection already was the owner.
    case alreadyOwner = 4
}

/// A name that appeared, disappeared or changed its owner.
public struct DBusNameOwnerChange: Hashable, Sendable {
    /// The name that changed.
    public var name: String
    /// The unique name of the present owner, or `nil` if there is none.
    public var newOwner: String?
}

extension DBusNameOwnerChange {
    static let member = "NameOwnerChanged"

    /// Returns a match rule for the bus's signals about changes of owners.
    static func match(_ arguments: [Int: String]) -> DBusMatch {
        DBusMatch(
            sender: ConnectionCore.busName, path: ConnectionCore.busPath, interface: ConnectionCore.busName,
            member: member, arguments: arguments)
    }

    /// Creates a change from the arguments of the bus's signal. Returns `nil` if they are
    /// malformed.
    init?(_ arguments: [DBusValue]) {
        let names = arguments.compactMap(\.stringValue)
        guard names.count == 3 else { return nil }
        self.init(name: names[0], newOwner: names[2].isEmpty ? nil : names[2])
    }
}

/// The identity of a connection's process, as the bus reports it.
public struct DBusCredentials: Hashable, Sendable {
    /// The numeric user id.
    public var userID: UInt32
    /// The process id at the time of the connection, or `nil` if the bus does not know it.
    public var processID: UInt32?
    /// A file descriptor for the process, as from `pidfd_open`, or `nil` if the bus sends none.
    ///
    /// dbus-daemon sends one since 1.15.8.
    public var processDescriptor: OwnedDescriptor?
    /// The process's label from the kernel's security module, or `nil` without such a module. The
    /// process had this label when it connected. AppArmor's has the form
    /// `snap.NAME.PROGRAM (enforce)`.
    public var securityLabel: String?

    /// Creates credentials.
    public init(
        userID: UInt32, processID: UInt32? = nil, processDescriptor: OwnedDescriptor? = nil,
        securityLabel: String? = nil
    ) {
        self.userID = userID
        self.processID = processID
        self.processDescriptor = processDescriptor
        self.securityLabel = securityLabel
    }

    /// Returns the text of a label.
    ///
    /// A label consists of bytes without a declared encoding, followed by a zero (D-Bus
    /// Specification, `GetConnectionCredentials`).
    static func label(_ bytes: [UInt8]) -> String? {
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
