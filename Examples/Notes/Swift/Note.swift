// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A text and where the cursor is in it: what travels from one device to another.
///
/// The cursor counts Unicode scalars from the beginning, as Python and GTK do: every language can
/// count those alike.
struct Note: Codable, Equatable {
    static let activityType = "org.example.notes.edit"
    /// Half of what an activity may carry: the rest is for the title, and for what a later version
    /// adds.
    static let maximumBytes = 32_768

    /// What stands between a note that came and the one that was here.
    static let divider = "\n\n--- What was here before: ---\n"

    private(set) var text = ""
    private(set) var cursor = 0

    /// The first line, as a name for people.
    var title: String {
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        return line.isEmpty ? "A note" : String(line.prefix(60))
    }

    /// Puts text where the cursor is, and the cursor behind it; false when the note would become
    /// too large.
    mutating func insert(_ addition: String) -> Bool {
        guard text.utf8.count + addition.utf8.count <= Self.maximumBytes else { return false }
        var scalars = Array(text.unicodeScalars)
        scalars.insert(contentsOf: addition.unicodeScalars, at: cursor)
        text = String(String.UnicodeScalarView(scalars))
        cursor += addition.unicodeScalars.count
        return true
    }

    /// Moves the cursor, within the text.
    mutating func move(to position: Int) {
        cursor = min(max(position, 0), text.unicodeScalars.count)
    }

    /// This note, and below a clear line a text that is not to be lost; nil when they are too long
    /// for one note.
    func above(_ other: String) -> Note? {
        var both = self
        both.text += Self.divider + other
        return both.text.utf8.count <= Self.maximumBytes ? both : nil
    }

    /// What came from another device, with a cursor that is within the text whatever was sent.
    var checked: Note? {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var note = self
        note.move(to: cursor)
        return note
    }
}
