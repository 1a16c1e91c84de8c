// SPDX-License-Identifier: Apache-2.0

/// How to ask for a well-known name. Source: D-Bus Specification,
/// `org.freedesktop.DBus.RequestName`.
public struct DBusNameFlags: OptionSet, Hashable, Sendable {
    /// The bits, as the bus reads them.
    public var rawValue: UInt32
    /// Flags from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fail instead of waiting in the queue for the name.
    public static let doNotQueue = DBusNameFlags(rawValue: 4)
}

/// What came of asking for a name.
public enum DBusNameOutcome: UInt32, Hashable, Sendable {
    /// This connection owns it now.
    case primaryOwner = 1
    /// Another owns it; this connection waits in the queue.
    case inQueue = 2
    /// Another owns it.
    case exists = 3
    /// This connection owned it already.
    case alreadyOwner = 4
}

/// A name came, went or moved.
public struct DBusNameOwnerChange: Hashable, Sendable {
    /// The name that changed.
    public var name: String
    /// The unique name of the owner now; `nil` when there is none.
    public var newOwner: String?
}

/// Who is behind a connection, as the bus itself says.
public struct DBusCredentials: Hashable, Sendable {
    /// The numeric user id.
    public var userID: UInt32
    /// The process id when it connected; `nil` when the bus does not know it.
    public var processID: UInt32?
    /// A descriptor for that process, as `pidfd_open` gives them; `nil` from a bus that gives none
    /// (dbus-daemon before 1.15.8).
    public var processDescriptor: OwnedDescriptor?
    /// What the kernel's security module called the process when it connected, as AppArmor
    /// `snap.NAME.PROGRAM (enforce)`; `nil` where there is no such module.
    public var securityLabel: String?

    /// What a bus says.
    public init(
        userID: UInt32, processID: UInt32? = nil, processDescriptor: OwnedDescriptor? = nil,
        securityLabel: String? = nil
    ) {
        self.userID = userID
        self.processID = processID
        self.processDescriptor = processDescriptor
        self.securityLabel = securityLabel
    }

    /// The text of a label: bytes of no encoding, and a zero behind them (D-Bus Specification,
    /// `GetConnectionCredentials`).
    static func label(_ bytes: [UInt8]) -> String? {
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
