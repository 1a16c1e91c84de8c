// SPDX-License-Identifier: Apache-2.0

/// A received signal.
public struct DBusSignal: Hashable, Sendable {
    /// The unique name of the sender, or `org.freedesktop.DBus`.
    public var sender: String
    /// The object that sent the signal.
    public var path: String
    /// The interface, as on the bus.
    public var interface: String
    /// The member, as on the bus.
    public var member: String
    /// The arguments, decoded within the connection's limits.
    public var arguments: [DBusValue]

    /// Creates a signal.
    public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A rule that selects signals. Every part that is set must match. Source: D-Bus Specification,
/// "Match Rules".
///
/// The connection checks the rule itself, too. The bus delivers a signal that is addressed to this
/// connection regardless of the rules, so a peer could otherwise pretend to be another.
public struct DBusMatch: Hashable, Sendable {
    /// The sender's unique or well-known name. A well-known name matches the signals of its present
    /// owner.
    public var sender: String?
    /// The object that sends the signal.
    public var path: String?
    /// The path of an object. Objects below it match, too.
    public var pathNamespace: String?
    /// The interface, as on the bus.
    public var interface: String?
    /// The member, as on the bus.
    public var member: String?
    /// The expected string arguments by position, 0 to 63.
    public var arguments: [Int: String]

    /// Creates a rule. Omitted parts match everything.
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

    /// The rule in the bus's format.
    var rule: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            guard let value else { return }
            // Inside quotes only the quote itself is special: close the quotes, escape it, open
            // them again. Split at scalars, because a mark may follow the quote.
            let pieces = value.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            let quoted = pieces.map { String($0) }.joined(separator: "'\\''")
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

    /// Returns whether a signal matches in all parts but the sender. Only the connection can check
    /// the sender.
    func fits(path: String, interface: String, member: String) -> Bool {
        if let wanted = self.path, wanted != path { return false }
        if let wanted = self.interface, wanted != interface { return false }
        if let wanted = self.member, wanted != member { return false }
        if let space = pathNamespace, space != "/", path != space, !path.hasPrefix(space + "/") { return false }
        return true
    }

    /// Returns whether the string arguments match.
    func fits(_ values: [DBusValue]) -> Bool {
        arguments.allSatisfy { index, wanted in
            guard values.indices.contains(index), case .string(let value) = values[index] else { return false }
            return value == wanted
        }
    }
}
