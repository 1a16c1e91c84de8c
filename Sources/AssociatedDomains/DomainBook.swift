// SPDX-License-Identifier: Apache-2.0

/// The domains that installed apps claim, with their answers and the times of the next requests.
///
/// The book has no clock and sends no requests. Times are seconds since 1970, and `chance` is a
/// random number from 0 to 1. A domain is asked some time after the installation of an app that
/// claims it, and again before its answer expires. Another device's offer never causes a request,
/// because the request would tell the domain that the device is near.
public struct DomainBook: Sendable {
    /// The known facts, by domain.
    public private(set) var records: [DomainName: DomainRecord]
    private var claims: [DomainName: Set<AppIdentifier>] = [:]

    /// The maximum number of domains. Further domains are ignored.
    public static let maximumDomains = 256
    /// The range of the delay between an app's installation and the first request, in seconds.
    ///
    /// The same delay applies to requests that are overdue when the daemon starts.
    public static let firstAsked = 10...600

    /// How late a request may still be sent, in seconds. A request may have to wait for requests to
    /// other domains.
    static let patience = 600

    /// Creates a book from saved records, and drops invalid ones.
    public init(_ records: [DomainName: DomainRecord] = [:]) {
        let valid = records.filter { $0.value.isValid }.sorted { $0.key < $1.key }
        self.records = Dictionary(uniqueKeysWithValues: valid.prefix(Self.maximumDomains).map { ($0.key, $0.value) })
    }

    /// Replaces the apps' claims, and forgets domains that no app claims any more.
    ///
    /// - Parameter chance: Returns a number from 0 to 1.
    public mutating func claim(_ new: [DomainName: Set<AppIdentifier>], at now: Int, chance: () -> Double) {
        records = records.filter { new[$0.key]?.isEmpty == false }
        for (domain, apps) in new.sorted(by: { $0.key < $1.key }) where !apps.isEmpty {
            let soon = Self.soon(after: now, chance())
            guard var record = records[domain] else {
                if records.count < Self.maximumDomains { records[domain] = DomainRecord(next: soon) }
                continue
            }
            let isNews = !Self.asked(apps).allSatisfy { record.asked.contains($0.description) }
            if isNews && record.failure == nil { record.next = min(soon, record.next) }
            if record.next < now || record.next > now + Freshness.maximum { record.next = soon }
            records[domain] = record
        }
        claims = new.filter { records[$0.key] != nil }
    }

    /// The domain of the next request, with the request's time, or nil if no app claims a domain.
    public var next: (domain: DomainName, time: Int)? {
        records.map { (domain: $0.key, time: $0.value.next) }.min { ($0.time, $0.domain) < ($1.time, $1.domain) }
    }

    /// Returns the domain to ask now, or nil if there is none.
    ///
    /// A request that became due during suspend is delayed again. If it were sent at once, the
    /// domain would learn when the laptop woke up. Requests are also delayed again after the clock
    /// was set forward.
    public mutating func due(at now: Int, chance: () -> Double) -> DomainName? {
        guard let next, next.time <= now else { return nil }
        guard next.time < now - Self.patience else { return next.domain }
        for (domain, record) in records where record.next < now - Self.patience {
            records[domain]?.next = Self.soon(after: now, chance())
        }
        return nil
    }

    /// Returns the apps to ask a domain about, or nil if no app claims the domain.
    public func apps(of domain: DomainName) -> [AppIdentifier]? { claims[domain].map(Self.asked) }

    /// Records a domain's answer.
    public mutating func take(
        _ answer: FetchAnswer, of domain: DomainName, about apps: [AppIdentifier], at now: Int, chance: Double
    ) {
        // Record the apps of the request, because the claims may have changed meanwhile.
        records[domain]?.take(answer, about: apps, at: now, chance: chance)
    }

    /// Returns whether a domain has approved an app, and the approval is still valid.
    public func approves(_ app: AppIdentifier, for domain: DomainName, at now: Int) -> Bool {
        records[domain]?.approves(app, at: now) ?? false
    }

    private static func asked(_ apps: Set<AppIdentifier>) -> [AppIdentifier] {
        Array(apps.sorted().prefix(FetchRequest.maximumApps))
    }

    private static func soon(after now: Int, _ chance: Double) -> Int {
        now + firstAsked.lowerBound + Int(chance * Double(firstAsked.upperBound - firstAsked.lowerBound))
    }
}
