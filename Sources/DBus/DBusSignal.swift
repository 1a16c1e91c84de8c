// SPDX-License-Identifier: Apache-2.0

/// A signal that was received.
public struct DBusSignal: Hashable, Sendable {
    /// The unique name of the sender, or `org.freedesktop.DBus`.
    public var sender: String
    /// The object that sent it.
    public var path: String
    /// The interface, as on the bus.
    public var interface: String
    /// The member, as on the bus.
    public var member: String
    /// The arguments, decoded within the connection's limits.
    public var arguments: [DBusValue]

    /// A signal with these parts.
    public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// Which signals to receive; every part that is set must fit. Source: D-Bus Specification, "Match
/// Rules".
///
/// The connection applies the rule itself too: the bus delivers a signal that is addressed to this
/// connection whatever the rules say, so a peer could otherwise pretend to be another.
public struct DBusMatch: Hashable, Sendable {
    /// A unique or a well-known name; of the latter only the owner's signals are received, also
    /// when the owner changes.
    public var sender: String?
    /// The object that was called.
    public var path: String?
    /// The path of an object, and everything below it.
    public var pathNamespace: String?
    /// The interface, as on the bus.
    public var interface: String?
    /// The member, as on the bus.
    public var member: String?
    /// String arguments by position, 0 to 63.
    public var arguments: [Int: String]

    /// A rule; what is left out fits everything.
    public init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, arguments: [Int: String] = [:]
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// The rule as the bus reads it.
    var rule: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            guard let value else { return }
            // Inside quotes only the quote itself is special: leave them, escape it, enter them
            // again.
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            parts.append("\(key)='\(quoted)'")
        }
        add("sender", sender)
        add("path", path)
        add("path_namespace", pathNamespace)
        add("interface", interface)
        add("member", member)
        for (index, value) in arguments.sorted(by: { $0.key < $1.key }) { add("arg\(index)", value) }
        return parts.joined(separator: ",")
    }

    /// Whether a signal fits all but the sender, which only the connection can judge.
    func fits(path: String, interface: String, member: String) -> Bool {
        if let wanted = self.path, wanted != path { return false }
        if let wanted = self.interface, wanted != interface { return false }
        if let wanted = self.member, wanted != member { return false }
        if let space = pathNamespace, space != "/", path != space, !path.hasPrefix(space + "/") { return false }
        return true
    }

    /// Whether the string arguments fit.
    func fits(_ values: [DBusValue]) -> Bool {
        arguments.allSatisfy { index, wanted in
            guard values.indices.contains(index), case .string(let value) = values[index] else { return false }
            return value == wanted
        }
    }
}
