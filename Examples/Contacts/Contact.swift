// SPDX-License-Identifier: Apache-2.0

/// A person.
struct Contact: Codable, Hashable {
    var firstname: String?
    var lastname: String?
    var phonenumber: String?
    var email: String?

    /// The first and the last name, for the list.
    var name: String {
        let name = [firstname, lastname].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? "(no name)" : name
    }

    /// The lines on a screen.
    var lines: [String] {
        ContactField.allCases.map { "\($0.rawValue): \(self[keyPath: $0.path] ?? "")" }
    }
}

/// A field, named by the user's command.
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
