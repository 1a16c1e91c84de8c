// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonBus
import DesktopEntries
import FoundationEssentials

/// Which domains apps claim, what these have said, and which are being asked: the desktop asks what
/// this gives it, and tells it the answers, which are kept.
struct DomainInquiries: Sendable {
    /// How many domains are asked at a time.
    static let maximumQuestions = 4
    /// How long nobody looks whether one is to be asked: the clock on the wall goes on while the
    /// laptop sleeps.
    static let interval = Duration.seconds(300)

    /// Tests have one of their own.
    var clock = DomainClock()
    private let store: AgreementStore
    private var keeper: DomainKeeper
    private var underWay: Set<DomainName> = []

    /// What was known before, and nobody who is asked.
    init(_ store: AgreementStore) {
        self.store = store
        keeper = DomainKeeper(store.read())
    }

    /// Whether any app claims a domain that is asked.
    var isInUse: Bool { keeper.isInUse }

    /// What there is to say of each claim, by app.
    var summaries: [DomainStatus] { keeper.summaries(at: clock.now()) }

    /// How long nothing is due, an interval at most.
    var untilNext: Duration {
        guard let next = keeper.book.next else { return Self.interval }
        return min(Self.interval, .seconds(max(next.time - clock.now(), 1)))
    }

    /// Which app continues a page; nil when none does.
    func application(for page: URL) -> (identifier: String, team: String)? {
        keeper.application(for: page, at: clock.now())
    }

    /// The apps, as they may do what they do, are these now.
    mutating func install(_ index: DesktopEntryIndex) {
        let former = keeper.book.records
        keeper.install(index, at: clock.now(), chance: clock.chance)
        if keeper.book.records != former { store.write(keeper.book) }
    }

    /// The domain whose time has come, if it is not being asked.
    mutating func due() -> DomainName? {
        keeper.due(at: clock.now(), chance: clock.chance).flatMap { underWay.contains($0) ? nil : $0 }
    }

    /// The domain that a user means.
    ///
    /// - Throws: ``BatonError`` where no app claims it, or it is not to be asked now.
    func claimed(_ text: String) throws -> DomainName {
        guard !text.isEmpty else {
            throw BatonError(.invalidArgument, "domain: it is empty; 'baton domains' lists what is claimed")
        }
        guard let domain = DomainName(text), keeper.request(domain, mayBeLocal: false) != nil else {
            throw BatonError(
                .notFound,
                "no app here that has a team claims \(text); 'baton domains' lists what is claimed, without '*.'")
        }
        guard underWay.count < Self.maximumQuestions, !underWay.contains(domain) else {
            throw BatonError(.limitReached, "\(domain), or too many others, are being asked; try again in a moment")
        }
        return domain
    }

    /// A domain is about to be asked, until ``ended(_:with:)``.
    ///
    /// - Returns: What it is asked; nil where no app claims it any more.
    mutating func begin(_ domain: DomainName, mayBeLocal: Bool) -> FetchRequest? {
        guard let request = keeper.request(domain, mayBeLocal: mayBeLocal) else { return nil }
        underWay.insert(domain)
        return request
    }

    /// A domain was asked.
    mutating func ended(_ request: FetchRequest, with answer: FetchAnswer) {
        underWay.remove(request.domain)
        keeper.take(answer, to: request, at: clock.now(), chance: clock.chance())
        store.write(keeper.book)
    }
}
