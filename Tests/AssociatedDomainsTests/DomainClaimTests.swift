// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Testing

/// Tests which pages a claim covers (requirements 109 to 112).
@Suite struct DomainClaimTests {
    private func claim(_ text: String) -> DomainClaim? { try? DomainClaim(text) }
    private func covers(_ text: String, _ host: String) -> Bool {
        claim(text).flatMap { claim in DomainName(host).map { claim.covers($0) } } ?? false
    }

    @Test("A claim names a service and a domain, and the service may be left out")
    func forms() throws {
        #expect(claim("activitycontinuation:example.com")?.domain.description == "example.com")
        #expect(claim("activitycontinuation:example.com") == claim("example.com"))
        #expect(claim("activitycontinuation:*.Example.COM") == claim("*.example.com"))
        #expect(claim("*.example.com")?.domain == claim("example.com")?.domain)
        #expect(claim("*.example.com") != claim("example.com"))
    }

    @Test("Claims for another service and malformed claims are rejected with a reason")
    func refusals() {
        #expect(throws: DomainClaim.Refusal.otherService) { try DomainClaim("applinks:example.com") }
        #expect(throws: DomainClaim.Refusal.otherService) { try DomainClaim("https://example.com") }
        let malformed = [
            "", "activitycontinuation:", "example", "*.", "*", "*.com", "www.*.com", "*example.com", ".example.com",
            "example..com", "-a.example.com", "a-.example.com", "a_b.example.com", "example.com/path", "example.com ",
            "activitycontinuation:example.com?mode=developer", "bücher.de", "exa\u{0}mple.com", "user@example.com",
        ]
        for text in malformed {
            #expect(throws: DomainClaim.Refusal.notADomain, "\(text)") { try DomainClaim(text) }
        }
    }

    @Test("IP addresses and names of this computer or its network are not domains")
    func addresses() {
        for text in ["127.0.0.1", "192.168.1.1", "1.2.3.4.", "[::1]", "localhost", "a.localhost", "printer.local"] {
            #expect(claim(text) == nil, "\(text)")
        }
    }

    @Test("A name has at most 253 bytes, and a label at most 63")
    func lengths() {
        let label = String(repeating: "a", count: 63)
        #expect(claim("\(label).com") != nil)
        #expect(claim("a\(label).com") == nil)
        let name = Array(repeating: label, count: 3).joined(separator: ".") + "." + String(repeating: "b", count: 57)
        #expect(claim(name + ".com") != nil)
        #expect(claim(name + "b.com") == nil)
    }

    @Test("A wildcard covers subdomains, but not the domain itself")
    func wildcard() {
        #expect(covers("*.example.com", "www.example.com") && covers("*.example.com", "a.b.example.com"))
        #expect(!covers("*.example.com", "example.com") && !covers("*.example.com", "badexample.com"))
        #expect(!covers("*.example.com", "www.example.com.evil.org"))
        #expect(covers("example.com", "example.com") && !covers("example.com", "www.example.com"))
    }

    @Test("Names are compared as in DNS, where case and a final dot do not matter")
    func comparing() {
        #expect(covers("example.com", "EXAMPLE.com.") && covers("*.XN--bcher-kva.de", "www.xn--BCHER-kva.de"))
        #expect(!covers("example.com", "example.com.."))
    }

    @Test("An app's identifier begins with its team, which must exist and have no dot")
    func identifiers() {
        #expect(AppIdentifier(team: "TEAM", app: "org.example.A")?.description == "TEAM.org.example.A")
        for team in [nil, "", "TEAM.org"] { #expect(AppIdentifier(team: team, app: "example.A") == nil) }
        #expect(AppIdentifier("") == nil && AppIdentifier(String(repeating: "a", count: 512)) == nil)
        #expect(AppIdentifier(String(repeating: "a", count: 511)) != nil)
    }
}
