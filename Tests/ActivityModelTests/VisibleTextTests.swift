// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Testing

@Suite struct VisibleTextTests {
    @Test("Control characters that a terminal would obey are invisible and escaped")
    func terminalControls() {
        for value in [
            0, 7, 0x1B, 0x7F, 0x85, 0x9B, 0x61C, 0x200E, 0x2028, 0x2029, 0x202E, 0x2066, 0xFEFF, 0xE0001, 0x1FFFE,
        ] as [UInt32] {
            #expect(Unicode.Scalar(value).map(VisibleText.isVisible) == false)
        }
        #expect(VisibleText.isVisible("Grüße, \"Ada\" \\ 日本 👍"))
        #expect(VisibleText.escaped("a\u{1B}b\u{1FFFE}\u{1b}") == "a\\u{1b}b\\u{1fffe}\\u{1b}")
    }

    @Test("Joiners are shown only between visible characters")
    func joiners() {
        #expect(VisibleText.escaped("👩\u{200D}💻 می\u{200C}خواهم") == "👩\u{200D}💻 می\u{200C}خواهم")
        #expect(VisibleText.escaped("\u{200D}a\u{200D}\u{200D}b \u{200C}") == "\\u{200d}a\\u{200d}\\u{200d}b \\u{200c}")
        #expect(VisibleText.escaped("a\u{200D}\u{1B}") == "a\\u{200d}\\u{1b}")
        // Types and teams must not contain joiners, because programs compare them.
        #expect(!VisibleText.isVisible("org.example.a\u{200D}b"))
    }

    @Test("A text is expensive to sort only if it has too many consecutive combining marks")
    func marksInARowAreCounted() {
        let most = String(repeating: "\u{301}", count: CombiningMarks.maximum)
        #expect(CombiningMarks.isCheap("a\(most)a\(most)"))
        #expect(!CombiningMarks.isCheap("a\(most)\u{316}"))
        // U+034F has no combining class, so sorting also stops at it.
        #expect(CombiningMarks.isCheap("a\(most)\u{34F}\(most)"))
        #expect(CombiningMarks.isCheap(String(repeating: "日本語", count: 1_000)))
    }
}
