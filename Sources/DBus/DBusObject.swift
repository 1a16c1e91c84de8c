// SPDX-License-Identifier: Apache-2.0

/// An object that a connection exports: its interfaces, besides `Peer`, `Introspectable` and
/// `Properties`, which every object gets.
public struct DBusObject: Sendable {
    /// The interfaces, each of another name.
    public var interfaces: [DBusInterface]

    /// An object with these interfaces, each of another name.
    public init(interfaces: [DBusInterface]) { self.interfaces = interfaces }
}

/// One interface of an exported object.
public struct DBusInterface: Sendable {
    /// The name, as on the bus.
    public var name: String
    /// The methods.
    public var methods: [DBusMethod]
    /// The properties.
    public var properties: [DBusProperty]
    /// What it may emit; for introspection only.
    public var signals: [DBusSignalDescription]

    /// An interface with these members.
    public init(
        _ name: String, methods: [DBusMethod] = [], properties: [DBusProperty] = [],
        signals: [DBusSignalDescription] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }
}

/// An argument's name and signature of one complete type, for introspection and for the check of
/// calls.
public struct DBusArgument: Hashable, Sendable {
    /// The name, as on the bus.
    public var name: String
    /// The signature of one complete type.
    public var signature: String

    /// One with these parts.
    public init(_ name: String, _ signature: String) {
        self.name = name
        self.signature = signature
    }
}

/// A call that an exported object has to answer.
public struct DBusInvocation: Sendable {
    /// The caller's unique name.
    public var sender: String
    /// The object that was called.
    public var path: String
    /// The interface, as on the bus.
    public var interface: String
    /// The member, as on the bus.
    public var member: String
    /// The arguments; their signatures are those that the method declares.
    public var arguments: [DBusValue]
}

/// A method of an exported object.
public struct DBusMethod: Sendable {
    /// Answers a call: returns the output arguments, or throws what becomes the error reply. A
    /// ``DBusError`` goes out as it is, anything else as `org.freedesktop.DBus.Error.Failed`.
    ///
    /// It begins in the order of the calls, on the thread that owns the connection, until its first
    /// suspension: it must not block. Its task is cancelled when the connection ends, or by
    /// ``DBusConnection/cancelCalls(from:)``.
    public typealias Handler = @Sendable (DBusInvocation) async throws -> [DBusValue]

    /// The name, as on the bus.
    public var name: String
    /// What it takes.
    public var inputs: [DBusArgument]
    /// What it returns.
    public var outputs: [DBusArgument]
    /// What answers the calls.
    public var handler: Handler

    /// A method. Calls whose arguments have other signatures than `inputs` are refused before the
    /// handler sees them.
    public init(
        _ name: String, inputs: [DBusArgument] = [], outputs: [DBusArgument] = [], handler: @escaping Handler
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.handler = handler
    }
}

/// A property of an exported object.
public struct DBusProperty: Sendable {
    /// Reads the property for a call, of `Get` or `GetAll`; the value has the property's signature.
    public typealias Getter = @Sendable (DBusInvocation) async throws -> DBusValue
    /// Sets the property for a caller, who is given by unique name.
    public typealias Setter = @Sendable (DBusValue, _ sender: String) async throws -> Void

    /// The name, as on the bus.
    public var name: String
    /// The signature of one complete type.
    public var signature: String
    /// What clients hear of its changes; for introspection only.
    public var changes: Changes
    /// How it is read.
    public var getter: Getter
    /// `nil` for a property that can only be read.
    public var setter: Setter?

    /// What clients hear of a property's changes, as
    /// `org.freedesktop.DBus.Property.EmitsChangedSignal` says it.
    public enum Changes: String, Hashable, Sendable {
        /// Each is told, with the new value, by
        /// ``DBusConnection/emitPropertiesChanged(path:interface:_:)``.
        case told = "true"
        /// They are not told.
        case untold = "false"
        /// There are none.
        case none = "const"
    }

    /// A property whose changes are not told; `nil` as setter makes it read-only.
    public init(
        _ name: String, _ signature: String, get getter: @escaping @Sendable () async throws -> DBusValue,
        set setter: Setter? = nil
    ) {
        self.init(name, signature, changes: .untold, setter: setter) { _ in try await getter() }
    }

    /// A property that never changes.
    public init(_ name: String, constant value: DBusValue) {
        self.init(name, value.signature, changes: .none) { _ in value }
    }

    /// A property with all that there is to say of it.
    public init(
        _ name: String, _ signature: String, changes: Changes, setter: Setter? = nil, getter: @escaping Getter
    ) {
        self.name = name
        self.signature = signature
        self.changes = changes
        self.getter = getter
        self.setter = setter
    }
}

/// A signal that an interface may emit, for introspection.
public struct DBusSignalDescription: Hashable, Sendable {
    /// The name, as on the bus.
    public var name: String
    /// The arguments, in order.
    public var arguments: [DBusArgument]

    /// One with these parts.
    public init(_ name: String, _ arguments: [DBusArgument] = []) {
        self.name = name
        self.arguments = arguments
    }
}
