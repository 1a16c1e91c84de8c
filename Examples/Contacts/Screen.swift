// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// The app's three activities, one for each screen.
enum ActivityType {
    static let list = "org.example.contacts.list-contacts"
    static let view = "org.example.contacts.view-contact"
    static let edit = "org.example.contacts.edit-contact"
    static let all = [list, view, edit]

    /// Returns the type for the short name that the user types.
    static func named(_ name: String) -> String? {
        all.first { $0.hasSuffix(".\(name)-contacts") || $0.hasSuffix(".\(name)-contact") }
    }
}

/// A screen. Only the top one is visible, so only its activity is current.
@MainActor
protocol Screen: UserActivityResponder {
    /// The lines on the screen.
    var lines: [String] { get }
    /// Called when the screen is on top.
    func appear()
    /// Carries out the user's command.
    ///
    /// - Returns: `false` if it does not know the command.
    func perform(_ command: String, _ argument: String) throws -> Bool
}

extension Screen {
    /// Called when the screen is left. Its activity ends.
    func disappear() { userActivity = nil }
}

/// An error message for the user.
struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
