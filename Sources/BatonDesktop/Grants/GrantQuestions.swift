// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// The questions to the user about sandboxed apps: few at a time, and few about each app. Callers
/// pass the time, because this type has no clock.
///
/// A question does not change. If the app claims more while the question is open, the user is asked
/// about the rest after the answer. If the app claims less, the question is withdrawn.
struct GrantQuestions: Sendable {
    struct Question: Hashable, Sendable {
        /// The unique key of the question.
        let key: NotificationKey
        let app: SandboxedApp
        let claim: ActivityClaim
    }

    /// The maximum number of questions at a time.
    static let maximumShown = 4
    /// The maximum number of questions about one app in a ``period``.
    static let maximumPerApp = 3
    /// The maximum number of questions about all apps in a ``period``.
    static let maximumInAll = 16
    static let period = Duration.seconds(24 * 3_600)

    private var shown: [SandboxedApp: Question] = [:]
    /// The times of the questions within the period.
    private var asked: [(app: SandboxedApp, time: Duration)] = []
    private var serial = 0

    var questions: [Question] { Array(shown.values) }

    /// Updates the questions to the claims that the user must decide on.
    ///
    /// - Returns: The keys of the withdrawn questions.
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

    /// Removes an answered question and returns it, or returns nil if it is not open any more.
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
