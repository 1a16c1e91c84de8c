// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// Which sandboxed apps the user is being asked about: few at a time, and each seldom. No clock:
/// times come in.
///
/// A question stays as it was asked: an app that then claims more is asked about the more after the
/// answer. One that claims less has its question withdrawn.
struct GrantQuestions: Sendable {
    /// What the user is asked.
    struct Question: Hashable, Sendable {
        /// Names the question; none has the key of another.
        let key: NotificationKey
        let app: SandboxedApp
        let claim: ActivityClaim
    }

    /// How many there are at a time.
    static let maximumShown = 4
    /// How often is asked about one app in a ``period``.
    static let maximumPerApp = 3
    /// How often is asked at all in a ``period``.
    static let maximumInAll = 16
    static let period = Duration.seconds(24 * 3_600)

    private var shown: [SandboxedApp: Question] = [:]
    /// When was asked, within the period.
    private var asked: [(app: SandboxedApp, time: Duration)] = []
    private var serial = 0

    /// All that the user is being asked.
    var questions: [Question] { Array(shown.values) }

    /// These are the claims to be asked about.
    ///
    /// - Returns: The keys of the questions that are no more.
    mutating func update(_ claims: [SandboxedApp: ActivityClaim], at uptime: Duration) -> [NotificationKey] {
        asked.removeAll { uptime - $0.time >= Self.period }
        let over = shown.values.filter { question in
            claims[question.app].map { !question.claim.isPart(of: $0) } ?? true
        }
        for question in over { shown[question.app] = nil }
        for (app, claim) in claims.sorted(by: { $0.key.description < $1.key.description })
        where shown[app] == nil && mayAsk(about: app) {
            serial += 1
            asked.append((app, uptime))
            shown[app] = Question(key: NotificationKey(.grant, "\(serial)"), app: app, claim: claim)
        }
        return over.map(\.key)
    }

    /// Takes a question away, for it was answered; nil when there is none any more.
    mutating func take(_ key: NotificationKey) -> Question? {
        shown.values.first { $0.key == key }.flatMap { shown.removeValue(forKey: $0.app) }
    }

    private func mayAsk(about app: SandboxedApp) -> Bool {
        shown.count < Self.maximumShown && asked.count < Self.maximumInAll
            && asked.count { $0.app == app } < Self.maximumPerApp
    }
}

extension ActivityClaim {
    fileprivate func isPart(of other: ActivityClaim) -> Bool { team == other.team && types.isSubset(of: other.types) }
}
