// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

/// The interface for the domains that apps claim.
extension BatonBusService {
    var domains: DBusInterface {
        @Sendable func list(_ domains: [DomainStatus]) -> [DBusValue] {
            [.array(elementSignature: "a{sv}", domains.map { .properties($0.bus) })]
        }
        return DBusInterface(
            BatonBusName.domains,
            methods: [
                method("List", [], [("domains", "aa{sv}")], needs: .managing) { handler, _, _ in
                    list(try await handler.domains())
                },
                method("Check", [("domain", "s")], [("domains", "aa{sv}")], needs: .managing) { handler, _, arguments in
                    list(try await handler.checkDomain(arguments[0].stringValue ?? ""))
                },
            ])
    }
}

extension DomainStatus {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "application": plain(application), "claim": plain(claim), "state": plain(state.rawValue),
        ]
        result["domain"] = domain.map(plain)
        result["identifier"] = identifier.map(plain)
        result["reason"] = reason.map(plain)
        result["answered"] = answered.map { .int64(Int64($0.timeIntervalSince1970)) }
        result["next"] = next.map { .int64(Int64($0.timeIntervalSince1970)) }
        return result
    }

    init(bus value: DBusValue) throws {
        let properties = try Properties(value)
        func date(_ key: String) -> Date? {
            properties.values[key]?.integer(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
        }
        self.init(
            application: try properties.required("application"), claim: try properties.required("claim"),
            domain: properties.text("domain"), identifier: properties.text("identifier"),
            state: State(rawValue: try properties.required("state")), reason: properties.text("reason"),
            answered: date("answered"), next: date("next"))
    }
}
