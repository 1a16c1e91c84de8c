// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import UserInfoJSON
import Wording

struct Domains: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the domains whose pages apps here want to continue, and the domains' answers.",
        discussion: """
            An app claims domains in its desktop entry, with X-Baton-AssociatedDomains. A domain agrees in its \
            file apple-app-site-association. Baton asks a domain some time after the app was installed, and then \
            from time to time. It never asks because of an offer.
            """,
        subcommands: [List.self, Check.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List the claims and their states: agreed, pending (not asked yet), refused or unreachable, and why.")

        @Flag(help: "Print one JSON array.")
        var json = false

        func run() async throws {
            let domains = try await Daemon.connected { try await $0.bus.domains() }
            try DomainText.show(domains, json: json, without: tr("No app here claims a domain."))
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask a domain now, and show its answer.",
            discussion: "The domain learns only that somebody asks.")

        @Argument(
            help: ArgumentHelp("A domain that an app here claims, without '*.'.", valueName: "domain"),
            completion: .claimedDomain)
        var domain: String

        @Flag(help: "Print one JSON array.")
        var json = false

        func validate() throws {
            if domain.isEmpty { throw ValidationError("DOMAIN is empty; 'baton domains' lists what is claimed") }
        }

        func run() async throws {
            let domains = try await Daemon.connected { [domain] in try await $0.bus.checkDomain(domain) }
            try DomainText.show(domains, json: json, without: tr("No app here claims {domain}.", ["domain": domain]))
            if let failure = DomainText.failure(of: domain, domains) { throw failure }
        }
    }
}

/// Formats apps' claims to domains for people and for programs.
enum DomainText {
    static func show(_ domains: [DomainStatus], json: Bool, without nothing: String) throws {
        if json { return try Output.standard.json(.array(domains.map(node)), pretty: true) }
        if domains.isEmpty { try Output.standard.line(nothing) }
        for domain in domains { try Output.standard.line(line(domain)) }
    }

    /// Returns the failure for a domain that has approved no app of this device, or `nil` if it has
    /// approved one.
    static func failure(of domain: String, _ claims: [DomainStatus]) -> ToolFailure? {
        if claims.contains(where: { $0.state == .agreed }) { return nil }
        guard let silent = claims.first(where: { $0.state == .unreachable }) else {
            return ToolFailure(tr("{domain} approves no app here.", ["domain": domain]), status: .refused)
        }
        let reason = silent.reason?.text(on: .terminal)
        return ToolFailure(reason ?? tr("{domain} could not be asked.", ["domain": domain]), status: .unreachable)
    }

    /// Returns a claim's JSON object, as described in baton-json(5).
    static func node(_ domain: DomainStatus) -> JSONNode {
        func text(_ value: String?) -> JSONNode { value.map(JSONNode.string) ?? .null }
        func time(_ value: Date?) -> JSONNode { text(value?.formatted(.iso8601)) }
        return .object([
            "application": .string(domain.application), "claim": .string(domain.claim), "domain": text(domain.domain),
            "identifier": text(domain.identifier), "state": .string(domain.state.rawValue),
            "reason": text(domain.reason?.text(on: .terminal, in: .english)), "answered": time(domain.answered),
            "next": time(domain.next),
        ])
    }

    /// Returns a claim's line in the output.
    static func line(_ domain: DomainStatus) -> String {
        let parts: [String?] = [
            domain.state.rawValue, domain.claim, domain.application, times(of: domain),
            domain.reason?.text(on: .terminal),
        ]
        return parts.compactMap { $0 }.joined(separator: "  ")
    }

    /// Returns when a domain has answered, and when Baton will ask it.
    private static func times(of domain: DomainStatus) -> String? {
        func text(_ value: Date?) -> String? { value.map(LocalTime.init).map { "\($0.day) \($0.clock)" } }
        return switch (text(domain.answered), text(domain.next)) {
        case (let answered?, let next?):
            tr("(answered {time}, to be asked again {next})", ["time": answered, "next": next])
        case (let answered?, nil): tr("(answered {time})", ["time": answered])
        case (nil, let next?): tr("(to be asked {time})", ["time": next])
        case (nil, nil): nil
        }
    }
}
