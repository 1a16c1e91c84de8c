// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

/// The payload of both activities about one contact.
private struct ContactState: Codable {
    var contact: Contact
    /// The field that the user was editing.
    var field: ContactField?
}

/// The screen that shows one contact.
@MainActor
final class ViewScreen: Screen {
    private unowned let app: ContactsApp
    private let contact: Contact
    /// The contact's index in this device's list, or `nil` if it came from another device.
    private let index: Int?

    init(app: ContactsApp, contact: Contact, index: Int?) {
        self.app = app
        self.contact = contact
        self.index = index
    }

    convenience init(app: ContactsApp, continuing activity: UserActivity) throws {
        self.init(app: app, contact: try activity.typedPayload(ContactState.self).contact, index: nil)
    }

    var lines: [String] { ["screen view"] + contact.lines.map { "  \($0)" } }

    func appear() {
        let activity = UserActivity(activityType: ActivityType.view)
        activity.title = contact.name
        userActivity = activity
    }

    func updateUserActivityState(_ activity: UserActivity) {
        try? activity.setTypedPayload(ContactState(contact: contact, field: nil))
    }

    func perform(_ command: String, _ argument: String) throws -> Bool {
        switch command {
        case "edit": app.replace(with: EditScreen(app: app, contact: contact, index: index))
        case "delete":
            guard let index = app.store.index(of: contact, at: index) else {
                throw Complaint("this contact is not in this device's list")
            }
            try app.store.delete(at: index)
            app.back()
        default: return false
        }
        return true
    }
}

/// The screen that edits one contact.
@MainActor
final class EditScreen: Screen {
    private unowned let app: ContactsApp
    private var contact: Contact
    private var field: ContactField
    /// The contact before the changes, and its index in this device's list.
    private let original: Contact
    private let index: Int?

    init(app: ContactsApp, contact: Contact, index: Int?, field: ContactField = .first) {
        self.app = app
        self.contact = contact
        original = contact
        self.index = index
        self.field = field
    }

    convenience init(app: ContactsApp, continuing activity: UserActivity) throws {
        let state = try activity.typedPayload(ContactState.self)
        self.init(app: app, contact: state.contact, index: nil, field: state.field ?? .first)
    }

    var lines: [String] {
        ["screen edit"] + zip(ContactField.allCases, contact.lines).map { ($0 == field ? "> " : "  ") + $1 }
    }

    func appear() {
        let activity = UserActivity(activityType: ActivityType.edit)
        activity.title = contact.name
        userActivity = activity
    }

    func updateUserActivityState(_ activity: UserActivity) {
        activity.title = contact.name
        try? activity.setTypedPayload(ContactState(contact: contact, field: field))
    }

    func perform(_ command: String, _ argument: String) throws -> Bool {
        if let field = ContactField(rawValue: command) {
            self.field = field
            contact[keyPath: field.path] = argument
            userActivity?.needsSave = true
            app.showTop()
            return true
        }
        guard command == "save" else { return false }
        if let index = app.store.index(of: original, at: index) {
            try app.store.replace(at: index, with: contact)
        } else {
            try app.store.add(contact)
        }
        app.back()
        return true
    }
}
