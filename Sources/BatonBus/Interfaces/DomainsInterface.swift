// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis
internal import FoundationEssentials
internal import Wording

/// `org.batonproject.Baton1.Domains`: the domains whose pages apps on this device want to continue.
package enum DomainsInterface: BusInterface {
    static let name = BatonBusName.domains
    package static let list: BusCall<Void, [DomainStatus]> = BusCall(
        name, "List", returns: .list("domains"), needs: .managing)
    package static let check: BusCall<String, [DomainStatus]> = BusCall(
        name, "Check", takes: .string("domain"), returns: .list("domains"), needs: .managing)

    static let methods: [any BusMethod] = [list, check]
}

/// The domains that apps on this device claim.
extension BatonBusClient {
    /// Returns the domains that apps claim, ordered by app, with the domains' answers.
    public func domains() async throws -> [DomainStatus] { try await call(DomainsInterface.list) }

    /// Asks a domain that an app on this device claims. Returns the claims to the domain once the
    /// domain has answered or the attempt has failed.
    public func checkDomain(_ domain: String) async throws -> [DomainStatus] {
        try await call(DomainsInterface.check, domain)
    }
}

extension DomainStatus: BusDictionary {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "application": plain(application), "claim": plain(claim), "state": plain(state.rawValue),
        ]
        result["domain"] = domain.map(plain)
        result["identifier"] = identifier.map(plain)
        if let reason {
            result["reason"] = plain(reason.text(on: .window))
            result["code"] = plain(reason.code)
            result["values"] = .properties(reason.reason.values.mapValues(\.bus))
        }
        result["answered"] = answered.map { .int64(Int64($0.timeIntervalSince1970)) }
        result["next"] = next.map { .int64(Int64($0.timeIntervalSince1970)) }
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        func date(_ key: String) -> Date? {
            properties.values[key]?.integer(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
        }
        let code = properties.text("code")
        let reason = properties.text("reason").map { text in
            code.map { Finding(Reason(code: $0, values: properties.reasonValues), command: nil, reported: text) }
                ?? Finding(reported: text)
        }
        self.init(
            application: try properties.required("application"), claim: try properties.required("claim"),
            domain: properties.text("domain"), identifier: properties.text("identifier"),
            state: State(rawValue: try properties.required("state")), reason: reason,
            answered: date("answered"), next: date("next"))
    }
}
