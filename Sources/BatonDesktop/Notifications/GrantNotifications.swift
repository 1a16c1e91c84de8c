// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Wording

/// Creates the notification that asks whether a sandboxed app may have activities of other apps.
///
/// The notification shows the app's id, which the sandbox guarantees. The notification shows
/// neither the name nor the icon that the app has chosen. The id is the first line of the body,
/// because servers such as xfce4-notifyd cut a long summary and still show the buttons. A request
/// that cannot be shown completely and literally cannot be allowed by a click. The user allows it
/// in the window, or with `baton grants`.
enum GrantNotifications {
    static let allowAction = "allow"
    static let refuseAction = "refuse"
    /// The action that opens the window's page of apps.
    static let showAction = "show"

    /// Returns the notification that asks about an app's claim.
    ///
    /// - Parameter hasWindow: Whether Baton's window is installed.
    static func notification(of claim: ActivityClaim, _ app: SandboxedApp, hasWindow: Bool) -> Notification {
        let wish = GrantWords.wish(types: JoinedText.list(claim.types.sorted()), team: claim.team)
        let text = body(app, wish)
        let isShown =
            ([app.identifier, claim.team] + claim.types).allSatisfy { $0.utf8.allSatisfy(isPlain) }
            && text.utf8.count <= Notification.maximumLength && app.identifier.utf8.count <= maximumIdentifierLength
        let summary = tr("An app wants activities of other apps")
        let refuse = Notification.Action(refuseAction, tr("Refuse"))
        guard isShown else {
            return Notification(
                summary: summary,
                body: body(
                    app,
                    JoinedText.sentences(
                        tr("It wants more activities of other apps than fit here."),
                        hasWindow ? tr("See them in Baton.") : tr("\"baton grants\" lists them."))),
                actions: (hasWindow ? [.init(showAction, tr("Open Baton"))] : []) + [refuse], stay: .untilAnswered)
        }
        return Notification(
            summary: summary, body: text,
            bodyWithoutActions: body(
                app,
                JoinedText.sentences(
                    wish,
                    hasWindow
                        ? tr("Open Baton, and answer it under Apps.")
                        : tr("Answer it with \"baton grants allow\" or \"baton grants refuse\"."))),
            actions: [.init(allowAction, tr("Allow")), refuse], stay: .untilAnswered)
    }

    /// The maximum length of an id that a user reads to its end, in bytes.
    private static let maximumIdentifierLength = 100

    /// Returns whether a byte is a plain character, which cannot imitate the surrounding sentence.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Returns the app's id in a line of its own, and what the app wants.
    private static func body(_ app: SandboxedApp, _ text: String) -> String {
        let id = app.identifier
        let shown = id.count <= maximumIdentifierLength ? id : "\(id.prefix(maximumIdentifierLength - 1))…"
        return GrantWords.app(shown, sandbox: app.sandbox.rawValue) + "\n" + text
    }
}
