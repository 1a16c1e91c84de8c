// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials

/// Keeps the apps' claims on domains and the domains' answers.
///
/// Claims and answers together determine the app that continues a page. ``Desktop`` asks the
/// domains that this value names, and passes their answers to this value.
struct DomainKeeper: Sendable {
    /// The maximum number of domains that are asked at a time.
    static let maximumQuestions = 4
    /// The longest time between two checks for a domain that is due. The checks are needed because
    /// the wall clock advances while the laptop sleeps.
    static let interval = Duration.seconds(300)

    var clock = DesktopClock()
    private let store: AgreementStore
    private(set) var book: DomainBook
    private var apps: [AppDomains] = []
    private var underWay: Set<DomainName> = []
    /// When to call ``timePassed(at:asks:)`` next, or nil before the start and while a due domain
    /// is being asked.
    private(set) var deadline: Duration?

    /// Creates a keeper with the saved answers.
    init(store: AgreementStore) {
        self.store = store
        book = store.read()
    }

    private var now: Int { Int(clock.date().timeIntervalSince1970) }

    /// Replaces the installed apps. The index has their permitted claims only.
    mutating func install(_ index: DesktopEntryIndex) {
        apps = index.entries.values.filter { !$0.associatedDomains.isEmpty }.map(AppDomains.init)
            .sorted { $0.application < $1.application }
        var claims: [DomainName: Set<AppIdentifier>] = [:]
        for app in apps {
            for claim in app.claims { claims[claim.domain, default: []].formUnion([app.identifier].compactMap { $0 }) }
        }
        let former = book.records
        book.claim(claims, at: now, chance: clock.chance)
        if book.records != former { store.write(book) }
    }

    /// Whether any app claims a domain that is asked.
    var isInUse: Bool { book.next != nil }

    /// Starts to ask domains when they are due.
    mutating func begin(at uptime: Duration) { deadline = uptime }

    /// Updates the state to the current time.
    ///
    /// - Parameter asks: Whether domains may be asked.
    /// - Returns: The domain to ask, or nil if none is due. After the domain was asked, the caller
    ///   must call ``lookAgain(at:asks:)``.
    mutating func timePassed(at uptime: Duration, asks: Bool) -> DomainName? {
        guard let deadline, uptime >= deadline else { return nil }
        self.deadline = nil
        if asks, let domain = due() { return domain }
        lookAgain(at: uptime, asks: asks)
        return nil
    }

    /// Sets the next check to the time when a domain is due, or to the end of ``interval`` if that
    /// comes first.
    mutating func lookAgain(at uptime: Duration, asks: Bool) {
        deadline = uptime + (asks ? untilNext : Self.interval)
    }

    /// The time until the next domain is due, at most ``interval``.
    var untilNext: Duration {
        guard let next = book.next else { return Self.interval }
        return min(Self.interval, .seconds(max(next.time - now, 1)))
    }

    /// Returns the domain that is due, or nil if none is, or it is being asked already.
    mutating func due() -> DomainName? {
        book.due(at: now, chance: clock.chance).flatMap { underWay.contains($0) ? nil : $0 }
    }

    /// Returns the domain that the user wants to ask.
    ///
    /// - Throws: ``BatonError`` if no app claims the domain, or it cannot be asked now.
    func claimed(_ text: String) throws -> DomainName {
        guard !text.isEmpty else { throw BatonError(argument: "domain", .argumentEmpty) }
        guard let domain = DomainName(text), book.apps(of: domain) != nil else {
            throw BatonError(.notFound, .domainUnclaimed, ["domain": .text(text)])
        }
        guard underWay.count < Self.maximumQuestions, !underWay.contains(domain) else {
            throw BatonError(.limitReached, .domainsBusy, ["domain": .text("\(domain)")])
        }
        return domain
    }

    /// Records that a domain is being asked, until ``ended(_:with:)``.
    ///
    /// - Returns: The question, or nil if no app claims the domain any more.
    mutating func begin(_ domain: DomainName, mayBeLocal: Bool) -> FetchRequest? {
        guard let apps = book.apps(of: domain) else { return nil }
        underWay.insert(domain)
        return FetchRequest(domain: domain, apps: apps, mayBeLocal: mayBeLocal)
    }

    /// Records a domain's answer.
    mutating func ended(_ request: FetchRequest, with answer: FetchAnswer) {
        underWay.remove(request.domain)
        book.take(answer, of: request.domain, about: request.apps, at: now, chance: clock.chance())
        store.write(book)
    }

    /// Returns the app that continues a page, with its team, or nil if there is none. The app must
    /// claim the page's domain, and the domain must approve the app.
    ///
    /// If several apps match, returns the one with the most specific claim, or the first by id
    /// among equal claims.
    func application(for page: URL) -> (identifier: String, team: String)? {
        guard page.isOfWeb, page.user() == nil, page.password() == nil, let host = page.host().flatMap(DomainName.init)
        else { return nil }
        var best: (app: AppDomains, identifier: AppIdentifier, rank: Int)?
        for app in apps {
            guard let identifier = app.identifier else { continue }
            for claim in app.claims where claim.covers(host) && book.approves(identifier, for: claim.domain, at: now) {
                let rank = claim.isForSubdomains ? claim.domain.description.utf8.count : .max
                if rank > best?.rank ?? -1 { best = (app, identifier, rank) }
            }
        }
        return best.map { best in
            (best.app.application, String(best.identifier.description.prefix { $0 != "." }))
        }
    }

    /// The status of each claim, by app.
    var summaries: [DomainStatus] { apps.flatMap { app in app.elements.map { summary(app, $0) } } }

    private func summary(_ app: AppDomains, _ element: AppDomains.Element) -> DomainStatus {
        var status = DomainStatus(
            application: app.application, claim: element.text, identifier: app.identifier?.description,
            state: .refused)
        switch element.claim {
        case .failure(let refusal): status.reason = Self.finding(refusal.reason)
        case .success(let claim):
            status.domain = claim.domain.description
            guard let identifier = app.identifier else {
                status.reason = Self.finding(Reason(.claimWithoutTeam))
                return status
            }
            guard let record = book.records[claim.domain] else {
                status.reason = Self.finding(Reason(.tooManyDomains, ["limit": .count(DomainBook.maximumDomains)]))
                return status
            }
            describe(
                record, of: identifier, claim.domain, isApproved: book.approves(identifier, for: claim.domain, at: now),
                &status)
        }
        return status
    }

    private func describe(
        _ record: DomainRecord, of app: AppIdentifier, _ domain: DomainName, isApproved: Bool,
        _ status: inout DomainStatus
    ) {
        status.answered = record.answered.map { Date(timeIntervalSince1970: Double($0)) }
        status.next = Date(timeIntervalSince1970: Double(record.next))
        status.reason = (record.failure ?? record.refusal).map { Self.finding($0.reason(of: domain)) }
        if isApproved {
            status.state = .agreed
        } else if record.failure != nil {
            status.state = .unreachable
        } else if !record.asked.contains(app.description) {
            status.state = .pending
        } else if status.reason == nil {
            let isOld = record.approved.contains(app.description)
            status.reason = Self.finding(
                Reason(
                    isOld ? .domainAgreementOld : .domainFileWithoutApp,
                    ["domain": .text(domain.description), "app": .text(app.description)]))
        }
    }

    private static func finding(_ reason: Reason) -> Finding { Finding(reason, command: nil, reported: nil) }
}
