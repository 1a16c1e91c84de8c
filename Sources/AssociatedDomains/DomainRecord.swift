// SPDX-License-Identifier: Apache-2.0

/// The answers of one domain and the time of the next request. Times are seconds since 1970.
public struct DomainRecord: Hashable, Sendable, Codable {
    /// The apps that the last answer was about.
    public var asked: [String] = []
    /// The apps that the domain approved in its last answer.
    public var approved: [String] = []
    /// The problem with the last answer, or nil if it was usable.
    public var refusal: DomainProblem?
    /// The time of the last answer, or nil if there was none.
    public var answered: Int?
    /// The time when the last answer stops being fresh, or nil if there was none.
    public var expires: Int?
    /// The problem with the last request, or nil if it succeeded.
    public var failure: DomainProblem?
    /// The number of failed requests since the last success.
    public var failures = 0
    /// The time of the next request.
    public var next: Int

    /// How long an approval is valid while the domain cannot be reached, in seconds.
    public static let holding = 30 * 86_400
    /// The first wait and the longest wait after failures, in seconds.
    ///
    /// The wait doubles after each further failure. Each wait is shortened by a random part, at
    /// most half.
    static let firstRetry = 3_600
    static let longestRetry = 86_400

    /// Creates the record of a domain without answers.
    init(next: Int) { self.next = next }

    /// Returns whether the domain has approved an app, and the approval is still valid.
    func approves(_ app: AppIdentifier, at now: Int) -> Bool {
        // Do not count an answer from more than a day in the future, so that setting the clock back
        // does not extend an approval.
        guard let answered, (answered - 86_400...answered + Self.holding).contains(now) else { return false }
        return approved.contains(app.description)
    }

    /// Records the result of a request.
    ///
    /// - Parameter chance: A number from 0 to 1 that places the next request within its period.
    mutating func take(_ answer: FetchAnswer, about apps: [AppIdentifier], at now: Int, chance: Double) {
        switch answer {
        case .answered(let approved, let lifetime):
            answered(apps, approved: approved.map(\.description), nil, lifetime, now, chance)
        case .refused(let problem, let lifetime): answered(apps, approved: [], problem, lifetime, now, chance)
        case .unreachable(let problem):
            failure = problem
            let wait = min(Self.firstRetry << min(failures, 5), Self.longestRetry)
            failures = min(failures + 1, 1_000)
            next = now + wait / 2 + Int(chance * Double(wait / 2))
        }
    }

    private mutating func answered(
        _ apps: [AppIdentifier], approved: [String], _ refusal: DomainProblem?, _ lifetime: Int, _ now: Int,
        _ chance: Double
    ) {
        (asked, self.approved, self.refusal) = (apps.map(\.description), approved, refusal)
        (answered, expires, failure, failures) = (now, now + lifetime, nil, 0)
        // Ask again at a random time in the last quarter of the lifetime, so that the time reveals
        // nothing.
        next = now + lifetime * 3 / 4 + Int(chance * Double(lifetime / 4))
    }

    /// Whether all values are within their limits. A saved file may contain any values.
    public var isValid: Bool {
        let times = [answered, expires, next].compactMap { $0 }
        return times.allSatisfy { (0...1 << 40).contains($0) } && (0...1_000).contains(failures)
            && asked.count <= FetchRequest.maximumApps && approved.allSatisfy(asked.contains)
            && asked.allSatisfy { AppIdentifier($0) != nil }
    }
}
