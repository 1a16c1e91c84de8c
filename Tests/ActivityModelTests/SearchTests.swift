// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import Testing

@Suite struct SearchTests {
    private func saved(_ title: String) -> SavedUserActivity {
        SavedUserActivity(
            identity: .init(), state: ActivityState(activityType: "org.example.note", title: title), keywords: [],
            contentAttributeSet: nil)
    }

    @Test("A search ignores case and diacritics, as Foundation's search does")
    func foldsAsFoundationDoes() {
        let texts = [
            "Crème brûlée", "CRE\u{300}ME", "Straße", "strasse", "Tiếng Việt", "Ελλάδα", "ΣΊΣΥΦΟΣ", "сёмга", "Йогурт",
            "かばん", "がらす", "가방", "Ångström", "ﬁsh", "a\u{301}\u{327}b", "", "naïve", "Łódź", "😀 smile",
            "हिन्दी", "שָׁלוֹם", "عَرَبِيّ",
        ]
        let words = [
            "creme", "CRÈME", "BRULEE", "STRASSE", "straße", "tieng", "viet", "ελλαδα", "σισυφος", "ΣΙΣΥΦΟΣ", "семга",
            "йогурт", "иогурт", "か", "が", "가", "angstrom", "å", "fish", "ab", "naive", "lodz", "łodz", "😀", "x",
            "हिन", "שלום", "عربي",
        ]
        for text in texts {
            for word in words {
                let expected = text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]) != nil
                #expect(saved(text).matches(word) == expected, "\(word) in \(text)")
            }
        }
    }

    @Test("A word that consists only of combining marks is never found")
    func wordOfMarksAlone() { #expect(!saved("anything").matches("\u{301}")) }

    @Test("A long word that almost matches everywhere is found as fast as any other word")
    func nearlyEverywhere() {
        let text = String(repeating: "a", count: 200_000)
        #expect(!saved(text).matches(String(repeating: "a", count: 2_000) + "b"))
    }

    @Test("A word is found anywhere in a text, even after a repetition of its first letters")
    func repeated() {
        for (text, word, isThere) in [
            ("aabaabaaab", "aabaaab", true), ("abababac", "ababac", true), ("aaaaaa", "aaab", false),
            ("x", "xx", false), ("needle", "needle", true), ("nneedle", "needle", true), ("needl", "needle", false),
        ] { #expect(saved(text).matches(word) == isThere, "\(word) in \(text)") }
    }

    @Test("Only the first 32 words of a query are used")
    func manyWords() {
        let words = Array(repeating: "a", count: SavedUserActivity.maximumWords)
        #expect(saved("a").matches((words + ["b"]).joined(separator: " ")))
        #expect(!saved("a").matches((["b"] + words).joined(separator: " ")))
    }

    @Test("Letters with the maximum number of combining marks are found like other letters")
    func marks() {
        let marks = String(repeating: "\u{301}\u{323}", count: CombiningMarks.maximum / 2)
        let text = String(repeating: "a" + marks, count: 1_000)
        #expect(saved(text).matches("aaaa") && !saved(text).matches("aab"))
    }
}
