// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonBus
import DesktopEntries
import Foundation
import Synchronization
import Testing

@testable import BatonDesktop

/// Which domain is asked when, without a desktop.
@Suite struct DomainInquiriesTests {
    private final class Time: Sendable {
        let now = Mutex(1_800_000_000)
        var clock: DomainClock { DomainClock(now: { self.now.withLock { $0 } }, chance: { 0 }, wait: { _ in }) }
        func pass(_ seconds: Int) { now.withLock { $0 += seconds } }
    }

    private let time = Time()

    /// So many apps, each with a domain of its own.
    private func inquiries(_ count: Int) throws -> DomainInquiries {
        var inquiries = DomainInquiries(AgreementStore())
        inquiries.clock = time.clock
        let entries = try (0..<count).map { number in
            let text =
                "[Desktop Entry]\nType=Application\nName=Reader\nExec=true\nX-Baton-Team=TEAM\n"
                + "X-Baton-AssociatedDomains=activitycontinuation:d\(number).example.test;\n"
            return try #require(DesktopEntry(identifier: "org.example.Reader\(number)", text: text))
        }
        inquiries.install(DesktopEntryIndex(entries))
        return inquiries
    }

    private func error(_ body: () throws -> DomainName) -> BatonError.Code? {
        do { _ = try body() } catch { return (error as? BatonError)?.code }
        return nil
    }

    @Test("A domain is due some time after its app came, and not again while it is asked")
    func due() throws {
        var inquiries = try inquiries(1)
        #expect(inquiries.isInUse)
        let early = inquiries.due()
        #expect(early == nil)
        #expect(inquiries.untilNext == .seconds(10))
        time.pass(10)
        let due = inquiries.due()
        let domain = try #require(due)
        let begun = inquiries.begin(domain, mayBeLocal: false)
        let request = try #require(begun)
        let again = inquiries.due()
        #expect(again == nil)
        inquiries.ended(request, with: .answered(approved: Array(request.apps), lifetime: 86_400))
        #expect(inquiries.summaries.map(\.state) == [.agreed])
        #expect(inquiries.untilNext == DomainInquiries.interval)
    }

    @Test("A user's question is refused for what no app claims, for what is being asked, and beside four others")
    func claimed() throws {
        var inquiries = try inquiries(5)
        #expect(error { try inquiries.claimed("") } == .invalidArgument)
        #expect(error { try inquiries.claimed("stranger.test") } == .notFound)
        for number in 0..<4 {
            let domain = try inquiries.claimed("d\(number).example.test")
            let begun = inquiries.begin(domain, mayBeLocal: false)
            #expect(begun != nil)
        }
        #expect(error { try inquiries.claimed("d4.example.test") } == .limitReached)
        let stranger = try #require(DomainName("stranger.test"))
        let unclaimed = inquiries.begin(stranger, mayBeLocal: false)
        #expect(unclaimed == nil)
    }
}
