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
        if let standard = standardTarget(path: path, interface: interface, member: member) { return standard }
        guard let object = objects[path] else {
            throw DBusError(name: DBusError.unknownObject, message: "there is no object \(path)")
        }
        let offered = object.interfaces + [StandardInterfaces.properties(of: object)]
        if let interface, !offered.contains(where: { $0.name == interface }),
            !StandardInterfaces.names.contains(interface)
        {
            throw DBusError(name: DBusError.unknownInterface, message: "\(path) has no interface \(interface)")
        }
        for candidate in offered where interface == nil || candidate.name == interface {
            guard let method = candidate.methods.first(where: { $0.name == member }) else { continue }
            return Target(
                interface: candidate.name, inputSignature: method.inputs.map(\.signature).joined(),
                outputSignature: method.outputs.map(\.signature).joined(), handler: method.handler)
        }
        throw DBusError(
            name: DBusError.unknownMethod, message: "there is no method \(interface.map { $0 + "." } ?? "")\(member)")
    }

    /// Returns the handler of a standard method.
    ///
    /// Every path has `Peer`. The path of an object, and any above it, has `Introspectable`.
    private func standardTarget(path: String, interface: String?, member: String) -> Target? {
        if interface == nil || interface == StandardInterfaces.peer {
            let peer = StandardInterfaces.peerMethods.first { $0.name == member }
            if let peer {
                return Target(
                    interface: StandardInterfaces.peer, inputSignature: "",
                    outputSignature: peer.outputs.map(\.signature).joined(), handler: peer.handler)
            }
        }
        guard interface == nil || interface == StandardInterfaces.introspectable, member == "Introspect" else {
            return nil
        }
        let children = childNames(of: path)
        guard objects[path] != nil || !children.isEmpty else { return nil }
        let xml = Introspection.document(of: objects[path], children: children)
        return Target(
            interface: StandardInterfaces.introspectable, inputSignature: "", outputSignature: "s",
            handler: { _ in [.string(xml)] })
    }

    /// Returns the next path elements below a path under which objects are exported.
    private func childNames(of path: String) -> [String] {
        let prefix = path == "/" ? "/" : path + "/"
        let names = objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
            .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
        return Set(names).sorted()
    }
}
