// SPDX-License-Identifier: Apache-2.0

/// Limits the number of consecutive combining marks in a text.
///
/// Swift compares and hashes texts by canonical equivalence, and sorts a letter's marks for that.
/// The time grows with the square of their number. A text of 512 KiB that consists of one letter
/// and its marks takes half a minute. Languages need only a handful of marks. Unicode's stream-safe
/// form allows 30 (UAX #15, section 13).
package enum CombiningMarks {
    /// The maximum number of consecutive marks.
    package static let maximum = 64

    /// Returns whether a text has at most ``maximum`` consecutive marks.
    package static func isCheap(_ text: String) -> Bool {
        // No character below U+0300 is a combining mark. From U+0300 on, the UTF-8 encoding of each
        // character begins with a byte of at least 0xCC.
        guard text.utf8.count > maximum, text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > maximum { return false }
        }
        return true
    }
}
