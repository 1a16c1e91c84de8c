// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
import BatonBus
import DesktopEntries
import FoundationEssentials

/// Which apps claim which domains, what these say, and so which app continues a page.
struct DomainKeeper: Sendable {
    private(set) var book: DomainBook
    private var apps: [AppDomains] = []

    /// A keeper that begins with what was known.
    init(_ book: DomainBook = DomainBook()) { self.book = book }

    /// These apps are installed now.
    mutating func install(_ index: DesktopEntryIndex, at now: Int, chance: () -> Double) {
        apps = index.entries.values.filter { !$0.associatedDomains.isEmpty }.map(AppDomains.init)
            .sorted { $0.application < $1.application }
        var claims: [DomainName: Set<AppIdentifier>] = [:]
        for app in apps {
            for claim in app.claims { claims[claim.domain, default: []].formUnion([app.identifier].compactMap { $0 }) }
        }
        book.claim(claims, at: now, chance: chance)
    }

    /// Whether any app claims a domain that is asked.
    var isInUse: Bool { book.next != nil }

    /// The domain that is to be asked now, with what it is asked.
    mutating func due(at now: Int, chance: () -> Double) -> DomainName? { book.due(at: now, chance: chance) }

    /// What a domain is asked; nil where no app claims it.
    func request(_ domain: DomainName, mayBeLocal: Bool) -> FetchRequest? {
        book.apps(of: domain).map { FetchRequest(domain: domain, apps: $0, mayBeLocal: mayBeLocal) }
    }

    /// A domain was asked.
    mutating func take(_ answer: FetchAnswer, to request: FetchRequest, at now: Int, chance: Double) {
        book.take(answer, of: request.domain, about: request.apps, at: now, chance: chance)
    }

    /// Which app continues a page: one that claims its domain, and that the domain approves. Of
    /// several the one whose claim says most, then the first by id.
    func application(for page: URL, at now: Int) -> (identifier: String, team: String)? {
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

    /// What there is to say of each claim, by app.
    func summaries(at now: Int) -> [DomainStatus] {
        apps.flatMap { app in app.elements.map { summary(app, $0, at: now) } }
    }

    private func summary(_ app: AppDomains, _ element: AppDomains.Element, at now: Int) -> DomainStatus {
        var status = DomainStatus(
            application: app.application, claim: element.text, identifier: app.identifier?.description,
            state: .refused)
        switch element.claim {
        case .failure(let refusal): status.reason = refusal.description
        case .success(let claim):
            status.domain = claim.domain.description
            guard let identifier = app.identifier else {
                status.reason = "the app has no X-Baton-Team (without a dot), or is sandboxed and was not granted it"
                return status
            }
            guard let record = book.records[claim.domain] else {
                status.reason = "apps here claim too many domains; \(DomainBook.maximumDomains) count"
                return status
            }
            describe(record, of: identifier, isApproved: book.approves(identifier, for: claim.domain, at: now), &status)
        }
        return status
    }

    private func describe(
        _ record: DomainRecord, of app: AppIdentifier, isApproved: Bool, _ status: inout DomainStatus
    ) {
        status.answered = record.answered.map { Date(timeIntervalSince1970: Double($0)) }
        status.next = Date(timeIntervalSince1970: Double(record.next))
        status.reason = record.failure ?? record.refusal
        if isApproved {
            status.state = .agreed
        } else if record.failure != nil {
            status.state = .unreachable
        } else if !record.asked.contains(app.description) {
            status.state = .pending
        } else if status.reason == nil {
            status.reason =
                record.approved.contains(app.description)
                ? "its agreement is too old" : "its file does not list \(app)"
        }
    }
}
