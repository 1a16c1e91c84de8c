// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonBus
import DesktopEntries
import Foundation
import Testing

@testable import BatonDesktop

/// Which app continues a page (requirements 107, 109 to 113 and 119).
@Suite struct DomainKeeperTests {
    private let now = 1_800_000_000

    private func entry(_ identifier: String, _ domains: String, team: String? = "TEAM") throws -> DesktopEntry {
        let team = team.map { "X-Baton-Team=\($0)\n" } ?? ""
        return try #require(
            DesktopEntry(
                identifier: identifier,
                text: "[Desktop Entry]\nType=Application\nName=App\n\(team)X-Baton-AssociatedDomains=\(domains)\n"))
    }

    /// A keeper in which all domains have approved these apps.
    private func keeper(_ entries: [DesktopEntry], approving apps: [String]) throws -> DomainKeeper {
        var keeper = DomainKeeper()
        keeper.install(DesktopEntryIndex(entries), at: now) { 0 }
        for domain in keeper.book.records.keys {
            let request = try #require(keeper.request(domain, mayBeLocal: false))
            let approved = request.apps.filter { apps.contains($0.description) }
            keeper.take(.answered(approved: approved, lifetime: 86_400), to: request, at: now, chance: 0)
        }
        return keeper
    }

    private func app(_ keeper: DomainKeeper, _ page: String) throws -> String? {
        keeper.application(for: try #require(URL(string: page)), at: now)?.identifier
    }

    @Test("An app gets the pages of the domains that it claims and that approve it, and no others")
    func ownDomainsOnly() throws {
        let reader = try entry("org.example.Reader", "activitycontinuation:example.com;applinks:else.com;")
        let keeper = try keeper([reader], approving: ["TEAM.org.example.Reader"])
        #expect(try app(keeper, "https://example.com/a?b=c#d") == "org.example.Reader")
        #expect(try app(keeper, "http://EXAMPLE.com./") == "org.example.Reader")
        for page in ["https://www.example.com/", "https://else.com/", "https://example.com.evil.org/"] {
            #expect(try app(keeper, page) == nil)
        }
        #expect(try app(try self.keeper([reader], approving: []), "https://example.com/") == nil)
        #expect(
            try app(try self.keeper([reader], approving: ["OTHER.org.example.Reader"]), "https://example.com/") == nil)
    }

    @Test("A wildcard asks the domain itself, and gets its subdomains' pages only")
    func wildcard() throws {
        let keeper = try keeper([entry("a.b.C", "*.example.com")], approving: ["TEAM.a.b.C"])
        #expect(keeper.book.records.keys.map(\.description) == ["example.com"])
        #expect(try app(keeper, "https://www.example.com/") == "a.b.C" && app(keeper, "https://example.com/") == nil)
    }

    @Test("What could be read as another host is no app's page")
    func unclearAddresses() throws {
        let keeper = try keeper([entry("a.b.C", "example.com")], approving: ["TEAM.a.b.C"])
        for page in [
            "https://user@example.com/", "https://:pw@example.com/", "ftp://example.com/",
            "https://evil.org\\@example.com/",
        ] {
            if let url = URL(string: page) { #expect(keeper.application(for: url, at: now) == nil, "\(page)") }
        }
    }

    @Test("Of several apps the one with the closest claim is chosen, then the first by id")
    func choice() throws {
        let entries = [
            try entry("b.b.B", "*.example.com"), try entry("c.c.C", "*.docs.example.com"),
            try entry("d.d.D", "a.docs.example.com"), try entry("a.a.A", "*.example.com"),
        ]
        let keeper = try keeper(entries, approving: ["TEAM.a.a.A", "TEAM.b.b.B", "TEAM.c.c.C", "TEAM.d.d.D"])
        #expect(try app(keeper, "https://www.example.com/") == "a.a.A")
        #expect(try app(keeper, "https://b.docs.example.com/") == "c.c.C")
        #expect(try app(keeper, "https://a.docs.example.com/") == "d.d.D")
    }

    @Test("Without a team no domain is asked, and the claim says why; a team with a dot counts as none")
    func withoutTeam() throws {
        for team in [nil, "TEAM.org"] {
            let keeper = try keeper([entry("a.b.C", "example.com", team: team)], approving: [])
            #expect(!keeper.isInUse)
            let status = try #require(keeper.summaries(at: now).first)
            #expect(status.state == .refused && status.reason?.contains("X-Baton-Team") == true)
        }
    }

    @Test("Thirty claims of an app count; those after them are refused with the reason, and so is what is no claim")
    func limits() throws {
        let claims = (1...31).map { "a\($0).example.com" }.joined(separator: ";")
        let keeper = try keeper([entry("a.b.C", "no domain;applinks:x.org;" + claims)], approving: [])
        #expect(keeper.book.records.count == 30)
        let reasons = keeper.summaries(at: now).compactMap { $0.domain == nil ? $0.reason : nil }
        #expect(
            reasons == [
                DomainClaim.Refusal.notADomain.description, DomainClaim.Refusal.otherService.description,
                DomainClaim.Refusal.tooMany.description,
            ])
    }

    @Test("Each claim says how it is: pending, agreed, refused, unreachable, and why")
    func summaries() throws {
        var keeper = DomainKeeper()
        keeper.install(DesktopEntryIndex([try entry("a.b.C", "example.com")]), at: now) { 0 }
        func status() throws -> (String, String?) {
            let status = try #require(keeper.summaries(at: now).first)
            return (status.state.rawValue, status.reason)
        }
        #expect(try status() == ("pending", nil))
        let request = try #require(DomainName("example.com").flatMap { keeper.request($0, mayBeLocal: false) })
        keeper.take(.unreachable(reason: "offline"), to: request, at: now, chance: 0)
        #expect(try status() == ("unreachable", "offline"))
        keeper.take(.refused(reason: "no file", lifetime: 86_400), to: request, at: now, chance: 0)
        #expect(try status() == ("refused", "no file"))
        keeper.take(.answered(approved: [], lifetime: 86_400), to: request, at: now, chance: 0)
        #expect(try status() == ("refused", "its file does not list TEAM.a.b.C"))
        keeper.take(.answered(approved: request.apps, lifetime: 86_400), to: request, at: now, chance: 0)
        #expect(try status() == ("agreed", nil))
        keeper.take(.unreachable(reason: "offline"), to: request, at: now, chance: 0)
        #expect(try status() == ("agreed", "offline"))
    }
}
