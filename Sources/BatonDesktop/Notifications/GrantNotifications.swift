// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

/// What the notification looks like that asks whether a sandboxed app may have activities which are
/// not its own.
///
/// It shows the app's id, which the sandbox vouches for, and neither the name nor the icon that the
/// app has given itself. What cannot be shown as it is, whole, cannot be allowed by a click:
/// `baton grants` shows it.
enum GrantNotifications {
    static let allowAction = "allow"
    static let refuseAction = "refuse"

    static func notification(of claim: ActivityClaim, _ app: SandboxedApp) -> Notification {
        let text = body(claim)
        let isShown =
            ([app.identifier, claim.team] + claim.types).allSatisfy { $0.utf8.allSatisfy(isPlain) }
            && text.utf8.count <= Notification.maximumLength && app.identifier.utf8.count <= maximumIdentifierLength
        let refuse = Notification.Action(refuseAction, "Refuse")
        guard isShown else {
            return Notification(
                summary: summary(app),
                body:
                    "It wants activities that are not its own, more than is shown here: 'baton grants' lists them, and allows them.",
                actions: [refuse], stay: .untilAnswered)
        }
        return Notification(
            summary: summary(app), body: text, bodyWithoutActions: "\(text) 'baton grants' allows or refuses it.",
            actions: [.init(allowAction, "Allow"), refuse], stay: .untilAnswered)
    }

    /// A longer id would not be read to its end.
    private static let maximumIdentifierLength = 100

    /// Nothing that could pass for the sentence around it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func summary(_ app: SandboxedApp) -> String {
        switch app.sandbox {
        case .flatpak: "\(app.identifier) (Flatpak) wants more than its own activities"
        case .snap: "\(app.identifier) (snap) wants activities"
        case .unknown: "\(app.identifier) (sandboxed) wants activities"
        }
    }

    private static func body(_ claim: ActivityClaim) -> String {
        let team = claim.team.isEmpty ? "" : " of the team \"\(claim.team)\""
        guard !claim.types.isEmpty else { return "It wants to exchange its activities with all apps\(team)." }
        return "It wants to get and to publish \(claim.types.sorted().joined(separator: ", "))\(team)."
    }
}
