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

extension DomainStatus: BusRecord {
    static var blank: Self { Self(application: "", claim: "", state: .pending) }
    static let fields: [BusField<Self>] = [
        .text("application", \.application), .text("claim", \.claim), .word("state", \.state),
        .optionalText("domain", \.domain), .optionalText("identifier", \.identifier),
        .optionalDate("answered", \.answered), .optionalDate("next", \.next),
        BusField(
            "reason", write: { ($0.reason?.text(on: .window)).map(plain) },
            read: { properties, status in
                status.reason = properties.text("reason").map { text in
                    properties.reason.map { Finding($0, command: nil, reported: text) } ?? Finding(reported: text)
                }
            }),
        .derived("code") { ($0.reason?.code).map(plain) },
        .derived("values") { $0.reason.map { .properties($0.reason.values.mapValues(\.bus)) } },
    ]
}
