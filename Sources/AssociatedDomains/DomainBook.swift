// SPDX-License-Identifier: Apache-2.0

/// Which domains the installed apps claim, what these have answered, and which is asked when.
///
/// It has no clock and asks nobody: times come in as seconds since 1970, chance as numbers from 0
/// to 1. A domain is asked some time after an app that claims it came, and again before its answer
/// expires, never because of what another device offers: that would tell the domain who is near.
public struct DomainBook: Sendable {
    /// What is known, by the domain.
    public private(set) var records: [DomainName: DomainRecord]
    private var claims: [DomainName: Set<AppIdentifier>] = [:]

    /// How many domains count.
    public static let maximumDomains = 256
    /// When a domain is asked after an app that claims it came, in seconds from then; and what is
    /// overdue when the daemon starts.
    public static let firstAsked = 10...600

    /// How late a domain may be asked, in seconds: others may be asked before it.
    static let patience = 600

    /// A book that begins with what was known.
    public init(_ records: [DomainName: DomainRecord] = [:]) {
        let valid = records.filter { $0.value.isValid }.sorted { $0.key < $1.key }
        self.records = Dictionary(uniqueKeysWithValues: valid.prefix(Self.maximumDomains).map { ($0.key, $0.value) })
    }

    /// These apps claim these domains now, and no others do: what nobody claims is forgotten.
    ///
    /// - Parameter chance: Gives a number from 0 to 1.
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

    /// Which domain is asked next, and when; nil when no app claims any.
    public var next: (domain: DomainName, time: Int)? {
        records.map { (domain: $0.key, time: $0.value.next) }.min { ($0.time, $0.domain) < ($1.time, $1.domain) }
    }

    /// The domain that is to be asked now; nil when there is none.
    ///
    /// What was due while the laptop slept is not asked at the moment when it wakes up, which would
    /// tell when that was; nor when a clock that had been wrong is put right.
    public mutating func due(at now: Int, chance: () -> Double) -> DomainName? {
        guard let next, next.time <= now else { return nil }
        guard next.time < now - Self.patience else { return next.domain }
        for (domain, record) in records where record.next < now - Self.patience {
            records[domain]?.next = Self.soon(after: now, chance())
        }
        return nil
    }

    /// The apps that a domain is asked about; nil when none claims it.
    public func apps(of domain: DomainName) -> [AppIdentifier]? { claims[domain].map(Self.asked) }

    /// A domain was asked.
    public mutating func take(
        _ answer: FetchAnswer, of domain: DomainName, about apps: [AppIdentifier], at now: Int, chance: Double
    ) {
        // An app may have come meanwhile.
        records[domain]?.take(answer, about: apps, at: now, chance: chance)
    }

    /// Whether a domain has approved an app, and that holds.
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
