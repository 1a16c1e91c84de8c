// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The interface for what the user allows sandboxed apps.
extension BatonBusService {
    var grants: DBusInterface {
        func answer(_ name: String, _ body: @escaping @Sendable (any BatonBusHandler, AppGrant) async throws -> Void)
            -> DBusMethod
        {
            let inputs = [("sandbox", "s"), ("application", "s"), ("team", "s"), ("types", "as")]
            return method(name, inputs, needs: .managing) { handler, _, arguments in
                try await body(handler, AppGrant(answered: arguments))
                return []
            }
        }
        return DBusInterface(
            BatonBusName.grants,
            methods: [
                method("List", [], [("grants", "aa{sv}")], needs: .managing) { handler, _, _ in
                    let grants = try await handler.grants()
                    return [.array(elementSignature: "a{sv}", grants.map { .properties($0.bus) })]
                },
                answer("Allow") { try await $0.allow($1) },
                answer("Refuse") { try await $0.refuse($1) },
            ])
    }
}

extension AppGrant {
    var bus: [String: DBusValue] {
        [
            "sandbox": plain(sandbox), "application": plain(application), "state": plain(state.rawValue),
            "team": plain(team), "types": .array(elementSignature: "s", types.map(plain)),
        ]
    }

    init(bus value: DBusValue) throws {
        let properties = try Properties(value)
        self.init(
            sandbox: try properties.required("sandbox"), application: try properties.required("application"),
            state: State(rawValue: try properties.required("state")), team: properties.text("team") ?? "",
            types: properties.strings("types"))
    }

    /// What is to be allowed or refused; the exporter has already checked the arguments' types.
    fileprivate init(answered arguments: [DBusValue]) {
        self.init(
            sandbox: arguments[0].stringValue ?? "", application: arguments[1].stringValue ?? "", state: .pending,
            team: arguments[2].stringValue ?? "", types: arguments[3].stringsValue ?? [])
    }
}
