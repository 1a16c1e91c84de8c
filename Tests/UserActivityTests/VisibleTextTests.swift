// SPDX-License-Identifier: Apache-2.0

import Testing
import UserActivity

@Suite struct VisibleTextTests {
    @Test func whatATerminalObeysIsNotVisible() {
        for value in [
            0, 7, 0x1B, 0x7F, 0x85, 0x9B, 0x61C, 0x200E, 0x2028, 0x2029, 0x202E, 0x2066, 0xFEFF, 0xE0001, 0x1FFFE,
        ] as [UInt32] {
            #expect(Unicode.Scalar(value).map(VisibleText.isVisible) == false)
        }
        #expect(VisibleText.isVisible("Grüße, \"Ada\" \\ 日本 👍"))
        #expect(VisibleText.escaped("a\u{1B}b\u{1FFFE}\u{1b}") == "a\\u{1b}b\\u{1fffe}\\u{1b}")
    }

    @Test func marksInARowAreCounted() {
        let most = String(repeating: "\u{301}", count: CombiningMarks.maximum)
        #expect(CombiningMarks.isCheap("a\(most)a\(most)"))
        #expect(!CombiningMarks.isCheap("a\(most)\u{316}"))
        // What has no class of its own ends the row for sorting, too.
        #expect(CombiningMarks.isCheap("a\(most)\u{34F}\(most)"))
        #expect(CombiningMarks.isCheap(String(repeating: "日本語", count: 1_000)))
    }
}
