// SPDX-License-Identifier: Apache-2.0

/// What is known of one domain, and when it is asked next. Times are seconds since 1970.
public struct DomainRecord: Hashable, Sendable, Codable {
    /// The apps that it was asked about when it last answered.
    public var asked: [String] = []
    /// Those of them that it approved.
    public var approved: [String] = []
    /// Why its last answer could not be used; nil when it could.
    public var refusal: String?
    /// When it last answered; nil for never.
    public var answered: Int?
    /// Until when the answer is good without asking again.
    public var expires: Int?
    /// Why it could not be asked the last time; nil when it could.
    public var failure: String?
    /// How often in a row it could not be asked.
    public var failures = 0
    /// When it is asked next.
    public var next: Int

    /// How long an agreement holds while the domain cannot be asked, in seconds.
    public static let holding = 30 * 86_400
    /// The longest waits for the next attempt after failures: an hour, twice that, …, a day.
    static let firstRetry = 3_600
    static let longestRetry = 86_400

    /// A domain that was never asked.
    init(next: Int) { self.next = next }

    /// Whether it has approved an app, and that holds.
    func approves(_ app: AppIdentifier, at now: Int) -> Bool {
        // A clock that was set back makes nothing hold for longer.
        guard let answered, (answered - 86_400...answered + Self.holding).contains(now) else { return false }
        return approved.contains(app.description)
    }

    /// It was asked.
    ///
    /// - Parameter chance: 0 to 1: when in the time that there is it is asked next.
    mutating func take(_ answer: FetchAnswer, about apps: [AppIdentifier], at now: Int, chance: Double) {
        switch answer {
        case .answered(let approved, let lifetime):
            answered(apps, approved: approved.map(\.description), nil, lifetime, now, chance)
        case .refused(let reason, let lifetime): answered(apps, approved: [], reason, lifetime, now, chance)
        case .unreachable(let reason):
            failure = reason
            let wait = min(Self.firstRetry << min(failures, 5), Self.longestRetry)
            failures = min(failures + 1, 1_000)
            next = now + wait / 2 + Int(chance * Double(wait / 2))
        }
    }

    private mutating func answered(
        _ apps: [AppIdentifier], approved: [String], _ refusal: String?, _ lifetime: Int, _ now: Int, _ chance: Double
    ) {
        (asked, self.approved, self.refusal) = (apps.map(\.description), approved, refusal)
        (answered, expires, failure, failures) = (now, now + lifetime, nil, 0)
        // Before it expires, and at no time that anything else could be read from.
        next = now + lifetime * 3 / 4 + Int(chance * Double(lifetime / 4))
    }

    /// Whether the numbers and texts can be what this has written.
    public var isValid: Bool {
        let times = [answered, expires, next].compactMap { $0 }
        let texts = [refusal, failure].compactMap { $0 }
        return times.allSatisfy { (0...1 << 40).contains($0) } && (0...1_000).contains(failures)
            && texts.allSatisfy { $0.utf8.count <= FetchAnswer.maximumReason }
            && asked.count <= FetchRequest.maximumApps && approved.allSatisfy(asked.contains)
            && asked.allSatisfy { AppIdentifier($0) != nil }
    }
}
