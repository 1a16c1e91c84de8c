// SPDX-License-Identifier: Apache-2.0

/// A person.
struct Contact: Codable, Hashable {
    var firstname: String?
    var lastname: String?
    var phonenumber: String?
    var email: String?

    /// First and last name, as the list shows it.
    var name: String {
        let name = [firstname, lastname].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? "(no name)" : name
    }

    /// What a screen shows, a line each.
    var lines: [String] {
        ContactField.allCases.map { "\($0.rawValue): \(self[keyPath: $0.path] ?? "")" }
    }
}

/// A field, by the word with which the user names it.
enum ContactField: String, CaseIterable, Codable {
    case first, last, phone, email

    var path: WritableKeyPath<Contact, String?> {
        switch self {
        case .first: \.firstname
        case .last: \.lastname
        case .phone: \.phonenumber
        case .email: \.email
        }
    }
}
