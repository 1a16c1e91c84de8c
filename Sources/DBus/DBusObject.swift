// SPDX-License-Identifier: Apache-2.0

/// An object that a connection exports.
///
/// The object's list of interfaces does not contain `Peer`, `Introspectable` and `Properties`,
/// which every object gets.
public struct DBusObject: Sendable {
    /// The interfaces, each with a different name.
    public var interfaces: [DBusInterface]

    /// Creates an object with interfaces that have different names.
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
    /// The signals that the interface may emit, for introspection only.
    public var signals: [DBusSignalDescription]

    /// Creates an interface with these members.
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

/// An argument's name and signature, for introspection and for checking calls.
public struct DBusArgument: Hashable, Sendable {
    /// The name, as on the bus.
    public var name: String
    /// The signature of one complete type.
    public var signature: String

    /// Creates an argument.
    public init(_ name: String, _ signature: String) {
        self.name = name
        self.signature = signature
    }
}

/// An incoming call to an exported object.
public struct DBusInvocation: Sendable {
    /// The caller's unique name.
    public var sender: String
    /// The object that was called.
    public var path: String
    /// The interface, as on the bus.
    public var interface: String
    /// The member, as on the bus.
    public var member: String
    /// The arguments, which have the signatures that the method declares.
    public var arguments: [DBusValue]
}

/// A method of an exported object.
public struct DBusMethod: Sendable {
    /// Answers a call: returns the output arguments, or throws the error reply. A ``DBusError`` is
    /// sent unchanged, any other error as `org.freedesktop.DBus.Error.Failed`.
    ///
    /// Handlers start in the order of the calls, on the connection's thread. Handlers must not
    /// block before their first suspension. The task is cancelled when the connection ends, or by
    /// ``DBusConnection/cancelCalls(from:)``.
    public typealias Handler = @Sendable (DBusInvocation) async throws -> [DBusValue]

    /// The name, as on the bus.
    public var name: String
    /// The input arguments.
    public var inputs: [DBusArgument]
    /// The output arguments.
    public var outputs: [DBusArgument]
    /// The function that answers calls.
    public var handler: Handler

    /// Creates a method. A call whose arguments do not have the signatures of `inputs` is refused
    /// before the handler runs.
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
    /// Reads the property for a call of `Get` or `GetAll`. The value must have the property's
    /// signature.
    public typealias Getter = @Sendable (DBusInvocation) async throws -> DBusValue
    /// Sets the property for a caller, given by its unique name.
    public typealias Setter = @Sendable (DBusValue, _ sender: String) async throws -> Void

    /// The name, as on the bus.
    public var name: String
    /// The signature of one complete type.
    public var signature: String
    /// How changes are announced, for introspection only.
    public var changes: Changes
    /// The function that reads the property.
    public var getter: Getter
    /// The function that sets the property, or `nil` for a read-only property.
    public var setter: Setter?

    /// How changes are announced, as in `org.freedesktop.DBus.Property.EmitsChangedSignal`.
    public enum Changes: String, Hashable, Sendable {
        /// Each change is announced with the new value.
        ///
        /// The program calls ``DBusConnection/emitPropertiesChanged(path:interface:_:)`` for that.
        case told = "true"
        /// Changes are not announced.
        case untold = "false"
        /// The property never changes.
        case none = "const"
    }

    /// Creates a property whose changes are not announced. Without a setter it is read-only.
    public init(
        _ name: String, _ signature: String, get getter: @escaping @Sendable () async throws -> DBusValue,
        set setter: Setter? = nil
    ) {
        self.init(name, signature, changes: .untold, setter: setter) { _ in try await getter() }
    }

    /// Creates a property that never changes.
    public init(_ name: String, constant value: DBusValue) {
        self.init(name, value.signature, changes: .none) { _ in value }
    }

    /// Creates a property with all its details.
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

    /// Creates a signal description.
    public init(_ name: String, _ arguments: [DBusArgument] = []) {
        self.name = name
        self.arguments = arguments
    }
}
