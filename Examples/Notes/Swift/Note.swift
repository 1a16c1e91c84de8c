// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A text with the cursor's position: the data that is sent from one device to another.
///
/// The cursor counts Unicode scalars from the beginning, as Python and GTK do, because every
/// language can count those.
struct Note: Codable, Equatable {
    static let activityType = "org.example.notes.edit"
    /// Half of what an activity may carry. The rest is for the title and for additions of later
    /// versions.
    static let maximumBytes = 32_768

    /// The line between a received note and the previous one below it.
    static let divider = "\n\n--- What was here before: ---\n"

    private(set) var text = ""
    private(set) var cursor = 0

    /// The first line, as a title.
    var title: String {
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        return line.isEmpty ? "A note" : String(line.prefix(60))
    }

    /// Inserts text at the cursor, and moves the cursor behind it. Returns `false` if the note
    /// would become too large.
    mutating func insert(_ addition: String) -> Bool {
        guard text.utf8.count + addition.utf8.count <= Self.maximumBytes else { return false }
        var scalars = Array(text.unicodeScalars)
        scalars.insert(contentsOf: addition.unicodeScalars, at: cursor)
        text = String(String.UnicodeScalarView(scalars))
        cursor += addition.unicodeScalars.count
        return true
    }

    /// Moves the cursor to a position within the text.
    mutating func move(to position: Int) {
        cursor = min(max(position, 0), text.unicodeScalars.count)
    }

    /// Returns this note with another text below it, or `nil` if they are too long for one note.
    func above(_ other: String) -> Note? {
        var both = self
        both.text += Self.divider + other
        return both.text.utf8.count <= Self.maximumBytes ? both : nil
    }

    /// A received note with its cursor moved into the text, or `nil` if it is too large.
    var checked: Note? {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var note = self
        note.move(to: cursor)
        return note
    }
}
