// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonBus
import BatonTesting
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests which app continues a page (requirements 107, 109 to 113 and 119).
@Suite struct DomainKeeperTests {
    private let clock = ManualClock()

    private var keeper: DomainKeeper {
        var keeper = DomainKeeper(store: AgreementStore())
        keeper.clock = DesktopClock(clock)
        return keeper
    }

    private func entry(_ identifier: String, _ domains: String, team: String? = "TEAM") throws -> DesktopEntry {
        let team = team.map { "X-Baton-Team=\($0)\n" } ?? ""
        return try #require(
            DesktopEntry(
                identifier: identifier,
                text: "[Desktop Entry]\nType=Application\nName=App\n\(team)X-Baton-AssociatedDomains=\(domains)\n"))
    }

    /// Returns a keeper in which all domains have approved these apps.
    private func keeper(_ entries: [DesktopEntry], approving apps: [String]) throws -> DomainKeeper {
        var keeper = keeper
        keeper.install(DesktopEntryIndex(entries))
        for domain in keeper.book.records.keys {
            let begun = keeper.begin(domain, mayBeLocal: false)
            let request = try #require(begun)
            let approved = request.apps.filter { apps.contains($0.description) }
            keeper.ended(request, with: .answered(approved: approved, lifetime: 86_400))
        }
        return keeper
    }

    private func app(_ keeper: DomainKeeper, _ page: String) throws -> String? {
        keeper.application(for: try #require(URL(string: page)))?.identifier
    }

    @Test("An app gets only the pages of domains that it claims and that approve it")
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

    @Test("For a wildcard the domain itself is asked, and the app gets only the pages of its subdomains")
    func wildcard() throws {
        let keeper = try keeper([entry("a.b.C", "*.example.com")], approving: ["TEAM.a.b.C"])
        #expect(keeper.book.records.keys.map(\.description) == ["example.com"])
        #expect(try app(keeper, "https://www.example.com/") == "a.b.C" && app(keeper, "https://example.com/") == nil)
    }

    @Test("A page whose host can be read in two ways goes to no app")
    func unclearAddresses() throws {
        let keeper = try keeper([entry("a.b.C", "example.com")], approving: ["TEAM.a.b.C"])
        for page in [
            "https://user@example.com/", "https://:pw@example.com/", "ftp://example.com/",
            "https://evil.org\\@example.com/",
        ] {
            if let url = URL(string: page) { #expect(keeper.application(for: url) == nil, "\(page)") }
        }
    }

    @Test("The app with the most specific claim is chosen, and the first by id among equal claims")
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

    @Test("No domain is asked about an app whose team is missing or contains a dot, and the claim says why")
    func withoutTeam() throws {
        for team in [nil, "TEAM.org"] {
            let keeper = try keeper([entry("a.b.C", "example.com", team: team)], approving: [])
            #expect(!keeper.isInUse)
            let status = try #require(keeper.summaries.first)
            #expect(status.state == .refused && status.reason?.reason.failure == .claimWithoutTeam)
        }
    }

    @Test("At most thirty claims of an app count, and further or invalid ones are refused with a reason")
    func limits() throws {
        let claims = (1...31).map { "a\($0).example.com" }.joined(separator: ";")
        let keeper = try keeper([entry("a.b.C", "no domain;applinks:x.org;" + claims)], approving: [])
        #expect(keeper.book.records.count == 30)
        let reasons = keeper.summaries.compactMap { $0.domain == nil ? $0.reason?.reason.failure : nil }
        #expect(reasons == [.claimWithoutDomain, .claimOfOtherService, .tooManyClaims])
    }

    @Test("Each claim has a state and a reason: pending, agreed, refused, unreachable")
    func summaries() throws {
        var keeper = keeper
        keeper.install(DesktopEntryIndex([try entry("a.b.C", "example.com")]))
        func status() throws -> (String, String?) {
            let status = try #require(keeper.summaries.first)
            return (status.state.rawValue, status.reason?.code)
        }
        #expect(try status() == ("pending", nil))
        let begun = keeper.begin(try #require(DomainName("example.com")), mayBeLocal: false)
        let request = try #require(begun)
        keeper.ended(request, with: .unreachable(DomainProblem(.domainLate)))
        #expect(try status() == ("unreachable", "domain-late"))
        keeper.ended(request, with: .refused(DomainProblem(.domainWithoutFile), lifetime: 86_400))
        #expect(try status() == ("refused", "domain-without-file"))
        keeper.ended(request, with: .answered(approved: [], lifetime: 86_400))
        #expect(try status() == ("refused", "domain-file-without-app"))
        let reason = try #require(keeper.summaries.first?.reason)
        #expect(reason.reason == Reason(.domainFileWithoutApp, ["domain": "example.com", "app": "TEAM.a.b.C"]))
        keeper.ended(request, with: .answered(approved: request.apps, lifetime: 86_400))
        #expect(try status() == ("agreed", nil))
        keeper.ended(request, with: .unreachable(DomainProblem(.domainLate)))
        #expect(try status() == ("agreed", "domain-late"))
    }

    // MARK: - The domains that are asked, and when

    /// Returns a keeper with this number of apps, each with a domain of its own.
    private func keeper(_ count: Int) throws -> DomainKeeper {
        var keeper = keeper
        keeper.install(
            DesktopEntryIndex(
                try (0..<count).map {
                    try entry("org.example.Reader\($0)", "activitycontinuation:d\($0).example.test;")
                }))
        return keeper
    }

    private func error(_ body: () throws -> DomainName) -> BatonError.Code? {
        do { _ = try body() } catch { return (error as? BatonError)?.code }
        return nil
    }

    @Test("A domain is due some time after its app appeared, but not while it is being asked")
    func due() throws {
        var keeper = try keeper(1)
        #expect(keeper.isInUse)
        let early = keeper.due()
        #expect(early == nil)
        #expect(keeper.untilNext == .seconds(10))
        clock.advance(by: .seconds(10))
        let due = keeper.due()
        let domain = try #require(due)
        let begun = keeper.begin(domain, mayBeLocal: false)
        let request = try #require(begun)
        let again = keeper.due()
        #expect(again == nil)
        keeper.ended(request, with: .answered(approved: Array(request.apps), lifetime: 86_400))
        #expect(keeper.summaries.map(\.state) == [.agreed])
        #expect(keeper.untilNext == DomainKeeper.interval)
    }

    @Test("A user's request is refused if the domain is not claimed or already being asked, or if four requests run")
    func claimed() throws {
        var keeper = try keeper(5)
        #expect(error { try keeper.claimed("") } == .invalidArgument)
        #expect(error { try keeper.claimed("stranger.test") } == .notFound)
        for number in 0..<4 {
            let domain = try keeper.claimed("d\(number).example.test")
            let begun = keeper.begin(domain, mayBeLocal: false)
            #expect(begun != nil)
        }
        #expect(error { try keeper.claimed("d4.example.test") } == .limitReached)
        let stranger = try #require(DomainName("stranger.test"))
        let unclaimed = keeper.begin(stranger, mayBeLocal: false)
        #expect(unclaimed == nil)
    }
}
