// SPDX-License-Identifier: Apache-2.0

/// The exported objects, with the handlers of their methods.
struct ExportTable {
    /// The handler of a call.
    struct Target: Sendable {
        var interface: String
        var inputSignature: String
        /// The signature of the result, or `nil` if it is not checked.
        var outputSignature: String?
        var handler: DBusMethod.Handler
    }

    private var objects: [String: DBusObject] = [:]

    mutating func insert(_ object: DBusObject, at path: String) { objects[path] = object }

    mutating func remove(_ path: String) { objects[path] = nil }

    /// Returns the handler of a call. Throws the error of the D-Bus Specification if there is no
    /// handler.
    func target(path: String, interface: String?, member: String) throws -> Target {
        let object = objects[path]
        var offered = standardInterfaces(at: path, for: member)
        if let object { offered += object.interfaces + [StandardInterfaces.properties(of: object)] }
        for candidate in offered where interface == nil || candidate.name == interface {
            guard let method = candidate.methods.first(where: { $0.name == member }) else { continue }
            return Target(
                interface: candidate.name, inputSignature: method.inputs.map(\.signature).joined(),
                outputSignature: method.outputs.map(\.signature).joined(), handler: method.handler)
        }
        guard let object else {
            throw DBusError(name: DBusError.unknownObject, message: "there is no object \(path)")
        }
        if let interface, !object.interfaces.contains(where: { $0.name == interface }),
            !StandardInterfaces.names.contains(interface)
        {
            throw DBusError(name: DBusError.unknownInterface, message: "\(path) has no interface \(interface)")
        }
        throw DBusError(
            name: DBusError.unknownMethod, message: "there is no method \(interface.map { $0 + "." } ?? "")\(member)")
    }

    /// Returns the interfaces of a path that need no object.
    ///
    /// Every path has `Peer`. The path of an object, and any above it, has `Introspectable`.
    private func standardInterfaces(at path: String, for member: String) -> [DBusInterface] {
        guard member == StandardInterfaces.introspect else { return [StandardInterfaces.peer] }
        let children = childNames(of: path)
        guard objects[path] != nil || !children.isEmpty else { return [] }
        return [StandardInterfaces.introspectable(of: objects[path], children: children)]
    }

    /// Returns the next path elements below a path under which objects are exported.
    private func childNames(of path: String) -> [String] {
        let prefix = path == "/" ? "/" : path + "/"
        let names = objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
            .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
        return Set(names).sorted()
    }
}
