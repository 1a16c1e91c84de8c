// SPDX-License-Identifier: Apache-2.0

/// Creates the notification about a laptop that fetches repeatedly without continuing anything.
enum FetchQuestion {
    static let stopAction = "stop"

    static func notification(of name: String, count: Int) -> Notification {
        let fact = "It has asked \(count) times and has not gone on with it."
        return Notification(
            summary: "\(name) keeps asking for what you do here",
            body: "\(fact) If that is not you, stop it: it then gets nothing from this laptop for an hour.",
            bodyWithoutActions: "\(fact) If that is not you, 'baton stop' gives it nothing for an hour.",
            actions: [.init(stopAction, "Stop")], stay: .untilAnswered)
    }
}
