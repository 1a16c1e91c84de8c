// SPDX-License-Identifier: Apache-2.0

/// How many combining marks a text may have in a row.
///
/// Swift compares and hashes texts by what they mean, and sorts a letter's marks for that: the time
/// grows with the square of their number, to half a minute for a text of 512 KiB that is one letter
/// and marks. Languages need a handful; Unicode's stream-safe form has 30 (UAX #15, section 13).
package enum CombiningMarks {
    /// The most in a row.
    package static let maximum = 64

    /// Whether a text has no more in a row than ``maximum``.
    package static func isCheap(_ text: String) -> Bool {
        // Nothing below U+0300 combines, and everything from there on begins with a byte from 0xCC
        // on.
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
