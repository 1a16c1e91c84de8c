// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The declaration of a method on the session bus.
///
/// The daemon's route (``BusRouter``), a client's call (``BatonBusClient``) and the introspection
/// data are derived from this declaration.
package struct BusCall<Arguments: Sendable, Answer: Sendable>: BusMethod {
    let interface: String
    let name: String
    let needs: Admission
    let takes: BusArguments<Arguments>
    let returns: BusArguments<Answer>
    /// How long a client waits for the answer, unless the caller gives another time.
    let timeout: Duration
    /// Called to remove from an answer the data that only clients with the right to manage the
    /// device get.
    private(set) var unprivilegedPart: @Sendable (Answer) -> Answer = { $0 }

    /// Declares a method.
    ///
    /// - Parameters:
    ///   - interface: The D-Bus interface.
    ///   - name: The method's name on the bus.
    ///   - takes: The input arguments.
    ///   - returns: The output arguments.
    ///   - needs: The rights without which a client gets `NotAllowed`.
    ///   - timeout: How long a client waits for the answer. The time must be longer than the
    ///     daemon's own limit, so that the client gets the daemon's error, which says more. The
    ///     default is that of libdbus.
    init(
        _ interface: String, _ name: String, takes: BusArguments<Arguments> = BusArguments<Void>.nothing,
        returns: BusArguments<Answer> = BusArguments<Void>.nothing, needs: Admission = [],
        timeout: Duration = .seconds(25)
    ) {
        self.interface = interface
        self.name = name
        self.takes = takes
        self.returns = returns
        self.needs = needs
        self.timeout = timeout
    }

    /// Returns the same method with an answer that hides some data from clients that may not manage
    /// the device.
    func forUnprivileged(_ part: @escaping @Sendable (Answer) -> Answer) -> Self {
        var call = self
        call.unprivilegedPart = part
        return call
    }

    var inputs: [DBusArgument] { takes.arguments }
    var outputs: [DBusArgument] { returns.arguments }
    func checkArguments(_ values: [DBusValue]) throws { _ = try takes.decode(values) }
}

extension DBusConnection {
    /// Calls a declared method of an object.
    ///
    /// - Throws: ``DBusError`` from the bus or from the called program, or ``BatonError`` for
    ///   invalid values.
    func call<Arguments, Answer>(
        _ call: BusCall<Arguments, Answer>, _ arguments: Arguments, destination: String, path: String,
        timeout: Duration
    ) async throws -> Answer {
        try call.returns.decode(
            try await self.call(
                destination: destination, path: path, interface: call.interface, member: call.name,
                arguments: call.takes.encode(arguments), timeout: timeout))
    }
}

/// A ``BusCall`` without the types of its values.
protocol BusMethod: Sendable {
    var interface: String { get }
    /// The method's name on the bus.
    var name: String { get }
    var inputs: [DBusArgument] { get }
    var outputs: [DBusArgument] { get }
    /// The rights without which a client gets `NotAllowed`.
    var needs: Admission { get }
    /// Throws ``BatonError/Code/invalidArgument`` for arguments whose values the method refuses.
    func checkArguments(_ values: [DBusValue]) throws
}

extension BusMethod {
    /// The interface and the method name, which together are unique.
    var fullName: String { "\(interface).\(name)" }
}

/// The declaration of an interface of the daemon's object.
protocol BusInterface {
    static var name: String { get }
    /// The methods, in the order of the introspection data.
    static var methods: [any BusMethod] { get }
    /// The signals, in the order of the introspection data.
    static var signals: [DBusSignalDescription] { get }
}

extension DBusInterface {
    /// Creates an interface from its declaration. One closure answers all calls.
    init(
        _ interface: any BusInterface.Type, properties: [DBusProperty] = [],
        answer: @escaping @Sendable (any BusMethod, DBusInvocation) async throws -> [DBusValue]
    ) {
        let methods = interface.methods.map { method in
            DBusMethod(method.name, inputs: method.inputs, outputs: method.outputs) { try await answer(method, $0) }
        }
        self.init(interface.name, methods: methods, properties: properties, signals: interface.signals)
    }
}

extension BusInterface {
    static var methods: [any BusMethod] { [] }
    static var signals: [DBusSignalDescription] { [] }

    /// Declares a signal with the names and signatures of its arguments.
    static func signal(_ name: String, _ arguments: KeyValuePairs<String, String>) -> DBusSignalDescription {
        DBusSignalDescription(name, arguments.map { DBusArgument($0.key, $0.value) })
    }
}
