// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Diagnosis
import Testing

/// Tests when Baton asks domains about apps, and how long the answers are valid.
@Suite struct DomainBookTests {
    private static let hour = 3_600
    private static let day = 86_400
    private let now = 1_800_000_000
    private let domain: DomainName
    private let app: AppIdentifier
    private let other: AppIdentifier

    init() throws {
        domain = try #require(DomainName("example.com"))
        app = try #require(AppIdentifier("TEAM.org.example.Reader"))
        other = try #require(AppIdentifier("TEAM.org.example.Other"))
    }

    private func book(claimedBy apps: AppIdentifier..., chance: Double = 0) -> DomainBook {
        var book = DomainBook()
        book.claim([domain: Set(apps)], at: now) { chance }
        return book
    }

    private func answered(lifetime: Int = 86_400, chance: Double = 0) -> DomainBook {
        var book = book(claimedBy: app)
        book.take(.answered(approved: [app], lifetime: lifetime), of: domain, about: [app], at: now, chance: chance)
        return book
    }

    @Test("A domain is asked within ten minutes after an app that claims it was installed")
    func firstTime() {
        #expect(book(claimedBy: app).next?.time == now + 10)
        #expect(book(claimedBy: app, chance: 1).next?.time == now + 600)
        #expect(!book(claimedBy: app).approves(app, for: domain, at: now))
        #expect(DomainBook().next == nil)
    }

    @Test("A domain is asked again at a random time before its answer expires")
    func again() {
        #expect(answered(lifetime: 4 * Self.day).next?.time == now + 3 * Self.day)
        #expect(answered(lifetime: 4 * Self.day, chance: 1).next?.time == now + 4 * Self.day)
    }

    @Test("Only the apps that a domain approved get its approval, not all that claim it")
    func approved() throws {
        let book = answered()
        #expect(book.approves(app, for: domain, at: now) && !book.approves(other, for: domain, at: now))
        #expect(!book.approves(app, for: try #require(DomainName("www.example.com")), at: now))
    }

    @Test("After a new app claims a domain, the domain is asked soon, even if its last answer is fresh")
    func newApp() {
        var book = answered(lifetime: 4 * Self.day)
        book.claim([domain: [app, other]], at: now + 100) { 0 }
        #expect(book.next?.time == now + 110 && book.apps(of: domain)?.count == 2)
        #expect(book.approves(app, for: domain, at: now + 100))
        book.take(
            .answered(approved: [app], lifetime: Self.day), of: domain, about: [other, app], at: now + 110, chance: 0)
        book.claim([domain: [app, other]], at: now + 200) { 0 }
        #expect(book.next?.time == now + 110 + Self.day * 3 / 4)
    }

    @Test("A domain's latest answer takes effect at once, so a withdrawn approval ends")
    func changed() {
        var book = answered()
        book.take(.answered(approved: [], lifetime: Self.day), of: domain, about: [app], at: now + 1, chance: 0)
        #expect(!book.approves(app, for: domain, at: now + 1))
        book = answered()
        book.take(
            .refused(DomainProblem(.domainWithoutFile), lifetime: Self.day), of: domain, about: [app], at: now + 1,
            chance: 0)
        #expect(
            !book.approves(app, for: domain, at: now + 1)
                && book.records[domain]?.refusal?.failure == .domainWithoutFile)
    }

    @Test("While a domain cannot be reached, an approval is valid for exactly thirty days")
    func offline() {
        var book = answered()
        book.take(.unreachable(DomainProblem(.domainLate)), of: domain, about: [app], at: now + Self.day, chance: 0)
        #expect(book.approves(app, for: domain, at: now + 30 * Self.day))
        #expect(!book.approves(app, for: domain, at: now + 30 * Self.day + 1))
        #expect(book.records[domain]?.failure == DomainProblem(.domainLate))
    }

    @Test("After a failure a domain is asked again within an hour, then more rarely, but at least once a day")
    func retries() {
        var book = book(claimedBy: app)
        var waits: [Int] = []
        for _ in 1...8 {
            book.take(.unreachable(DomainProblem(.domainLate)), of: domain, about: [app], at: now, chance: 1)
            waits.append((book.next?.time ?? 0) - now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 24, 24, 24].map { $0 * Self.hour })
        book.take(.unreachable(DomainProblem(.domainLate)), of: domain, about: [app], at: now, chance: 0)
        #expect(book.next?.time == now + 12 * Self.hour)
    }

    @Test("Setting the clock back does not extend an approval")
    func clock() {
        let book = answered()
        #expect(book.approves(app, for: domain, at: now - Self.day))
        #expect(!book.approves(app, for: domain, at: now - Self.day - 1))
        var lost = answered(lifetime: 30 * Self.day)
        lost.claim([domain: [app]], at: now - 100 * Self.day) { 0 }
        #expect(lost.next?.time == now - 100 * Self.day + 10)
    }

    @Test("A request that became due during suspend is sent some minutes after resume, not at once")
    func overdue() {
        var book = answered()
        book.claim([domain: [app]], at: now + 3 * Self.day) { 1 }
        #expect(book.next?.time == now + 3 * Self.day + 600)
        book = answered()
        #expect(book.due(at: now + Self.day * 3 / 4 - 1) { 1 } == nil)
        #expect(book.due(at: now + Self.day * 3 / 4) { 1 } == domain)
        #expect(book.due(at: now + 3 * Self.day) { 1 } == nil)
        #expect(book.next?.time == now + 3 * Self.day + 600)
    }

    @Test("A domain that no app claims any more is forgotten")
    func forgotten() {
        var book = answered()
        book.claim([:], at: now) { 0 }
        #expect(book.records.isEmpty && book.next == nil)
        book.take(.answered(approved: [app], lifetime: Self.day), of: domain, about: [app], at: now, chance: 0)
        #expect(book.records.isEmpty)
    }

    @Test("At most 256 domains with 64 apps each are kept, and known domains take precedence over new ones")
    func limits() throws {
        var book = answered()
        let names = (0..<300).compactMap { DomainName("a\($0).example.org") }
        var claims = Dictionary(uniqueKeysWithValues: names.map { ($0, Set([app])) })
        claims[domain] = Set((0..<100).compactMap { AppIdentifier("TEAM.\($0)") })
        book.claim(claims, at: now) { 0 }
        #expect(book.records.count == 256 && book.records[domain] != nil)
        #expect(book.apps(of: domain)?.count == 64)
        #expect(DomainBook(book.records).records.count == 256)
    }

    @Test("Requests and answers survive encoding and decoding, and an answer approves only requested apps")
    func lines() {
        let request = FetchRequest(domain: domain, apps: [app, other], mayBeLocal: true)
        #expect(FetchRequest(line: request.line) == request)
        let answers: [FetchAnswer] = [
            .answered(approved: [app], lifetime: Self.day),
            .refused(DomainProblem(.domainStatus, status: 204), lifetime: 2 * Self.day),
            .unreachable(DomainProblem(.domainUnreached, message: "gone", errno: 2)),
        ]
        for answer in answers { #expect(FetchAnswer(line: answer.line, about: [app]) == answer) }
        let more = FetchAnswer.answered(approved: [app, other], lifetime: 1 << 50)
        #expect(FetchAnswer(line: more.line, about: [app]) == .answered(approved: [app], lifetime: 30 * Self.day))
        for text in [
            "", "{}", "[]", "x", #"{"approved":1}"#, #"{"domain":"a","apps":[]}"#, #"{"refused":"no"}"#,
            #"{"refused":{"code":"else"}}"#,
            #"{"refused":{"code":"stopped"}}"#,
        ] {
            #expect(
                FetchAnswer(line: Array(text.utf8), about: [app]) == nil && FetchRequest(line: Array(text.utf8)) == nil)
        }
    }

    @Test("A line has at most 64 KiB, and a reason at most 512 bytes")
    func lengths() {
        let spaces = [UInt8](repeating: 0x20, count: 65_536)
        #expect(FetchAnswer(line: FetchAnswer.unreachable(DomainProblem(.domainLate)).line + spaces, about: []) == nil)
        #expect(FetchRequest(line: FetchRequest(domain: domain, apps: []).line + spaces) == nil)
        let text = String(repeating: "ä", count: 1_000)
        let long = #"{"unreachable":{"code":"domain-unreached","message":"\#(text)"}}"#
        guard case .unreachable(let problem) = FetchAnswer(line: Array(long.utf8), about: []) else {
            Issue.record("not read")
            return
        }
        let shown = problem.message ?? ""
        #expect(shown.utf8.count <= 512 && shown.hasSuffix("ä…"))
        #expect(problem == DomainProblem(.domainUnreached, message: text))
    }
}
