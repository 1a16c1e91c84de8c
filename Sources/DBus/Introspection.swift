// SPDX-License-Identifier: Apache-2.0

/// The introspection format. Source: D-Bus Specification, "Introspection Data Format".
enum Introspection {
    private static let heading = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>

        """

    static func document(of object: DBusObject?, children: [String]) -> String {
        var text = heading
        if let object {
            let standard = [
                StandardInterfaces.peer, StandardInterfaces.introspectable(of: object, children: children),
                StandardInterfaces.properties(of: object),
            ]
            for interface in object.interfaces + standard { text += xml(interface) }
        }
        for child in children { text += "  <node name=\"\(escaped(child))\"/>\n" }
        return text + "</node>\n"
    }

    static func xml(_ interface: DBusInterface) -> String {
        var text = "  <interface name=\"\(escaped(interface.name))\">\n"
        for method in interface.methods {
            let arguments =
                method.inputs.map { argument($0, direction: "in") }
                + method.outputs.map { argument($0, direction: "out") } + qtTypes(method.inputs, "In")
                + qtTypes(method.outputs, "Out")
            text += element("method", method.name, arguments)
        }
        for signal in interface.signals {
            let arguments = signal.arguments.map { argument($0, direction: nil) }
            text += element("signal", signal.name, arguments + qtTypes(signal.arguments, "Out"))
        }
        for property in interface.properties { text += element(property) }
        return text + "  </interface>\n"
    }

    private static func element(_ property: DBusProperty) -> String {
        let access = property.setter == nil ? "read" : "readwrite"
        let start =
            "    <property name=\"\(escaped(property.name))\" type=\"\(property.signature)\" access=\"\(access)\""
        var annotations = qtType(property.signature).map { [annotation(qtTypeName, $0)] } ?? []
        // Clients assume "true" if there is no annotation.
        if property.changes != .told {
            annotations.append(
                annotation("org.freedesktop.DBus.Property.EmitsChangedSignal", property.changes.rawValue))
        }
        guard !annotations.isEmpty else { return start + "/>\n" }
        return start + ">\n" + annotations.joined() + "    </property>\n"
    }

    // MARK: - Qt

    /// Qt's tools and dynamic proxies have no type for a dictionary unless an annotation names one.
    /// Source: `qdbusxml2cpp`, QtDBus 5 and 6.
    private static let qtTypeName = "org.qtproject.QtDBus.QtTypeName"

    private static func qtType(_ signature: String) -> String? {
        ["a{sv}": "QVariantMap", "aa{sv}": "QList<QVariantMap>"][signature]
    }

    private static func qtTypes(_ arguments: [DBusArgument], _ direction: String) -> [String] {
        arguments.enumerated().compactMap { index, argument in
            qtType(argument.signature).map { annotation("\(qtTypeName).\(direction)\(index)", $0) }
        }
    }

    private static func annotation(_ name: String, _ value: String) -> String {
        "      <annotation name=\"\(name)\" value=\"\(escaped(value))\"/>\n"
    }

    private static func element(_ kind: String, _ name: String, _ lines: [String]) -> String {
        if lines.isEmpty { return "    <\(kind) name=\"\(escaped(name))\"/>\n" }
        return "    <\(kind) name=\"\(escaped(name))\">\n" + lines.joined() + "    </\(kind)>\n"
    }

    private static func argument(_ argument: DBusArgument, direction: String?) -> String {
        let suffix = direction.map { " direction=\"\($0)\"" } ?? ""
        return "      <arg name=\"\(escaped(argument.name))\" type=\"\(argument.signature)\"\(suffix)/>\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
