// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The interfaces that every object has. Source: D-Bus Specification, "Standard Interfaces".
enum StandardInterfaces {
    static let peerName = "org.freedesktop.DBus.Peer"
    static let introspectableName = "org.freedesktop.DBus.Introspectable"
    static let propertiesName = "org.freedesktop.DBus.Properties"
    static let names: Set<String> = [peerName, introspectableName, propertiesName]

    static let peer = DBusInterface(
        peerName,
        methods: [
            DBusMethod("Ping") { _ in [] },
            DBusMethod("GetMachineId", outputs: [DBusArgument("machine_uuid", "s")]) { _ in
                guard let text = dbus_try_get_local_machine_id(nil) else {
                    throw DBusError(name: DBusError.failed, message: "this machine has no machine-id")
                }
                defer { dbus_free(text) }
                return [.string(String(cString: text))]
            },
        ])

    static let introspect = "Introspect"

    static func introspectable(of object: DBusObject?, children: [String]) -> DBusInterface {
        DBusInterface(
            introspectableName,
            methods: [
                DBusMethod(introspect, outputs: [DBusArgument("xml_data", "s")]) { _ in
                    [.string(Introspection.document(of: object, children: children))]
                }
            ])
    }

    /// Returns the methods `Get`, `GetAll` and `Set` for an object.
    static func properties(of object: DBusObject) -> DBusInterface {
        let get = DBusMethod(
            "Get", inputs: [DBusArgument("interface_name", "s"), DBusArgument("property_name", "s")],
            outputs: [DBusArgument("value", "v")]
        ) { call in
            let property = try find(call.arguments, in: object)
            return [.variant(try await read(property, call))]
        }
        let getAll = DBusMethod(
            "GetAll", inputs: [DBusArgument("interface_name", "s")], outputs: [DBusArgument("props", "a{sv}")]
        ) { call in
            var values: [String: DBusValue] = [:]
            for property in try interface(call.arguments, in: object)?.properties ?? [] {
                values[property.name] = try await read(property, call)
            }
            return [.properties(values)]
        }
        let set = DBusMethod(
            "Set",
            inputs: [
                DBusArgument("interface_name", "s"), DBusArgument("property_name", "s"), DBusArgument("value", "v"),
            ]
        ) { call in
            let property = try find(call.arguments, in: object)
            guard let setter = property.setter else {
                throw DBusError(name: DBusError.propertyReadOnly, message: "\(property.name) cannot be set")
            }
            guard call.arguments.count == 3, case .variant(let value) = call.arguments[2],
                value.signature == property.signature
            else { throw DBusError.invalid("\(property.name) is of type '\(property.signature)'") }
            try await setter(value, call.sender)
            return []
        }
        return DBusInterface(propertiesName, methods: [get, getAll, set], signals: [propertiesChanged])
    }

    /// The signal of ``DBusConnection/emitPropertiesChanged(path:interface:_:)``.
    static let propertiesChanged = DBusSignalDescription(
        "PropertiesChanged",
        [
            DBusArgument("interface_name", "s"), DBusArgument("changed_properties", "a{sv}"),
            DBusArgument("invalidated_properties", "as"),
        ])

    private static func read(_ property: DBusProperty, _ call: DBusInvocation) async throws -> DBusValue {
        let value = try await property.getter(call)
        guard value.signature == property.signature else {
            throw DBusError(
                name: DBusError.failed,
                message: "\(property.name) gave '\(value.signature)', not '\(property.signature)'")
        }
        return value
    }

    /// Returns the interface that the first argument names.
    ///
    /// Returns `nil` for an empty name and for a standard interface.
    private static func interface(_ arguments: [DBusValue], in object: DBusObject) throws -> DBusInterface? {
        let name = arguments.first?.stringValue ?? ""
        if name.isEmpty || names.contains(name) { return nil }
        guard let interface = object.interfaces.first(where: { $0.name == name }) else {
            throw DBusError(name: DBusError.unknownInterface, message: "the object has no interface \(name)")
        }
        return interface
    }

    private static func find(_ arguments: [DBusValue], in object: DBusObject) throws -> DBusProperty {
        let name = arguments.dropFirst().first?.stringValue ?? ""
        let interface = try interface(arguments, in: object)
        // An empty interface name means any interface, as the specification allows.
        let all = interface?.properties ?? object.interfaces.flatMap(\.properties)
        guard let property = all.first(where: { $0.name == name }) else {
            throw DBusError(name: DBusError.unknownProperty, message: "there is no property \(name)")
        }
        return property
    }
}
