// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// The app's three activities: what the user does on each of its screens.
enum ActivityType {
    static let list = "org.example.contacts.list-contacts"
    static let view = "org.example.contacts.view-contact"
    static let edit = "org.example.contacts.edit-contact"
    static let all = [list, view, edit]

    /// The short name that the user types.
    static func named(_ name: String) -> String? {
        all.first { $0.hasSuffix(".\(name)-contacts") || $0.hasSuffix(".\(name)-contact") }
    }
}

/// One screen. Only the one on top is visible, so only its activity is current.
@MainActor
protocol Screen: UserActivityResponder {
    /// What it shows.
    var lines: [String] { get }
    /// It is on top now.
    func appear()
    /// Does what the user typed.
    ///
    /// - Returns: Whether it knows the command.
    func perform(_ command: String, _ argument: String) throws -> Bool
}

extension Screen {
    /// It is left: its activity ends with it.
    func disappear() { userActivity = nil }
}

/// A sentence for the user.
struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
