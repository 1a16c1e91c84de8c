// SPDX-License-Identifier: Apache-2.0

import Wording

/// Creates the notification about a laptop that fetches repeatedly without continuing anything.
enum FetchQuestion {
    static let stopAction = "stop"

    /// Returns the notification about a laptop that has fetched a number of times.
    ///
    /// The body names the laptop, because servers cut a long summary.
    ///
    /// - Parameter hasWindow: Whether Baton's window is installed.
    static func notification(
        of name: String, count: Int, hasWindow: Bool = BatonWindow.isInstalled
    ) -> Notification {
        let laptop = ForeignText.line(name, limit: ForeignText.longestName)
        let fact = ntr(
            "\"{laptop}\" has asked {count} time, and has not continued anything.",
            "\"{laptop}\" has asked {count} times, and has not continued anything.", count, ["laptop": laptop])
        let advice = tr("If that is not you, refuse it. It then gets nothing from this laptop for an hour.")
        return Notification(
            summary: tr("One of your laptops keeps asking for what you do here"),
            body: JoinedText.sentences(fact, advice),
            bodyWithoutActions: JoinedText.sentences(
                fact,
                hasWindow
                    ? tr("If that is not you, open Baton and refuse it.")
                    : tr("If that is not you, stop it with \"baton stop\".")),
            actions: [.init(stopAction, tr("Refuse"))], stay: .untilAnswered)
    }
}
