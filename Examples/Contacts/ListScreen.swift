// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

/// The screen with all contacts. Its activity hands the whole list over through continuation
/// streams.
@MainActor
final class ListScreen: Screen {
    private unowned let app: ContactsApp
    private let delegate: ListDelegate

    init(app: ContactsApp) {
        self.app = app
        delegate = ListDelegate(app: app)
    }

    var lines: [String] {
        ["screen list (\(app.store.contacts.count) contacts)"]
            + app.store.contacts.enumerated().map { "  \($0 + 1). \($1.name)" }
    }

    func appear() {
        let activity = UserActivity(activityType: ActivityType.list)
        activity.title = "Contacts"
        activity.supportsContinuationStreams = true
        activity.delegate = delegate
        userActivity = activity
    }

    func updateUserActivityState(_ activity: UserActivity) {
        activity.addUserInfoEntries(from: ["totalContacts": app.store.contacts.count])
    }

    func perform(_ command: String, _ argument: String) throws -> Bool {
        switch command {
        case "add": app.show(EditScreen(app: app, contact: Contact(), index: nil))
        case "view":
            let index = try app.index(argument)
            app.show(ViewScreen(app: app, contact: app.store.contacts[index], index: index))
        case "edit":
            let index = try app.index(argument)
            app.show(EditScreen(app: app, contact: app.store.contacts[index], index: index))
        case "delete":
            try app.store.delete(at: try app.index(argument))
            userActivity?.needsSave = true
            app.showTop()
        default: return false
        }
        return true
    }
}

/// The delegate of the list's activity. It sends the list when another device continues the
/// activity.
@MainActor
private final class ListDelegate: NSObject, @MainActor UserActivityDelegate {
    private unowned let app: ContactsApp
    private var senders: [ContactsSender] = []

    init(app: ContactsApp) { self.app = app }

    func userActivityWasContinued(_ userActivity: UserActivity) { app.say("continued elsewhere: list") }

    func userActivity(
        _ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
    ) {
        let contacts = app.store.contacts
        guard let archive = try? PropertyListEncoder().encode(contacts) else { return }
        let sender = ContactsSender(archive, to: outputStream) { [weak self] sender, error in
            self?.senders.removeAll { $0 === sender }
            self?.app.say(
                error.map { "error: sending failed: \($0.localizedDescription)" } ?? "sent \(contacts.count) contacts")
        }
        senders.append(sender)
        sender.start()
    }
}
