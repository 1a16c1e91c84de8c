// SPDX-License-Identifier: Apache-2.0

/// An object that a connection exports: its interfaces, besides `Peer`, `Introspectable` and `Properties`, which every
/// object gets.
public struct DBusObject: Sendable {
    public var interfaces: [DBusInterface]

    /// An object with these interfaces, each of another name.
    public init(interfaces: [DBusInterface]) { self.interfaces = interfaces }
}

/// One interface of an exported object.
public struct DBusInterface: Sendable {
    public var name: String
    public var methods: [DBusMethod]
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

/// An argument's name and signature of one complete type, for introspection and for the check of calls.
public struct DBusArgument: Hashable, Sendable {
    public var name: String
    public var signature: String

    public init(_ name: String, _ signature: String) {
        self.name = name
        self.signature = signature
    }
}

/// A call that an exported object has to answer.
public struct DBusInvocation: Sendable {
    /// The caller's unique name.
    public var sender: String
    public var path: String
    public var interface: String
    public var member: String
    /// The arguments; their signatures are those that the method declares.
    public var arguments: [DBusValue]
}

/// A method of an exported object.
public struct DBusMethod: Sendable {
    /// Answers a call: returns the output arguments, or throws what becomes the error reply. A ``DBusError`` goes out as it
    /// is, anything else as `org.freedesktop.DBus.Error.Failed`.
    ///
    /// It begins in the order of the calls, on the thread that owns the connection, until its first suspension: it must
    /// not block. Its task is cancelled when the connection ends, or by ``DBusConnection/cancelCalls(from:)``.
    public typealias Handler = @Sendable (DBusInvocation) async throws -> [DBusValue]

    public var name: String
    public var inputs: [DBusArgument]
    public var outputs: [DBusArgument]
    public var handler: Handler

    /// A method. Calls whose arguments have other signatures than `inputs` are refused before the handler sees them.
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
    /// Reads the property; the value has the property's signature.
    public typealias Getter = @Sendable () async throws -> DBusValue
    /// Sets the property for a caller, who is given by unique name.
    public typealias Setter = @Sendable (DBusValue, _ sender: String) async throws -> Void

    public var name: String
    public var signature: String
    public var getter: Getter
    /// `nil` for a property that can only be read.
    public var setter: Setter?

    /// A property; `nil` as setter makes it read-only.
    public init(_ name: String, _ signature: String, get getter: @escaping Getter, set setter: Setter? = nil) {
        self.name = name
        self.signature = signature
        self.getter = getter
        self.setter = setter
    }

    /// A property that never changes.
    public init(_ name: String, constant value: DBusValue) {
        self.init(name, value.signature, get: { value })
    }
}

/// A signal that an interface may emit, for introspection.
public struct DBusSignalDescription: Hashable, Sendable {
    public var name: String
    public var arguments: [DBusArgument]

    public init(_ name: String, _ arguments: [DBusArgument] = []) {
        self.name = name
        self.arguments = arguments
    }
}
