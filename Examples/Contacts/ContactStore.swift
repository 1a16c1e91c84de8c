// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The contacts, in a file.
@MainActor
final class ContactStore {
    private let file: URL
    private(set) var contacts: [Contact]

    init(file: URL) throws {
        self.file = file
        if FileManager.default.fileExists(atPath: file.path) {
            contacts = try JSONDecoder().decode([Contact].self, from: Data(contentsOf: file))
        } else {
            contacts = []
        }
    }

    func replaceAll(with contacts: [Contact]) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(contacts).write(to: file, options: .atomic)
        self.contacts = contacts
    }

    /// Returns the index of a contact if it is still there. The list may have been replaced by
    /// another device's.
    func index(of contact: Contact, at index: Int?) -> Int? {
        index.flatMap { contacts.indices.contains($0) && contacts[$0] == contact ? $0 : nil }
    }

    func add(_ contact: Contact) throws { try replaceAll(with: contacts + [contact]) }

    func replace(at index: Int, with contact: Contact) throws {
        var changed = contacts
        changed[index] = contact
        try replaceAll(with: changed)
    }

    func delete(at index: Int) throws {
        var changed = contacts
        changed.remove(at: index)
        try replaceAll(with: changed)
    }
}
