// SPDX-License-Identifier: Apache-2.0

/// A word to find in texts.
///
/// Source: Knuth, Morris and Pratt, "Fast Pattern Matching in Strings" (1977).
struct SearchWord {
    private let bytes: [UInt8]
    /// For each prefix of the word, the length of its longest proper suffix that is also a prefix.
    private let fallback: [Int]

    init(_ word: some StringProtocol) {
        let bytes = SearchText(String(word)).bytes
        var (fallback, matched) = ([Int](repeating: 0, count: bytes.count), 0)
        for index in bytes.indices.dropFirst() {
            while matched > 0, bytes[index] != bytes[matched] { matched = fallback[matched - 1] }
            if bytes[index] == bytes[matched] { matched += 1 }
            fallback[index] = matched
        }
        (self.bytes, self.fallback) = (bytes, fallback)
    }

    /// Returns whether a text contains the word. The time is linear in the length of the text.
    func stands(in text: SearchText) -> Bool {
        guard !bytes.isEmpty, bytes.count <= text.bytes.count else { return false }
        var matched = 0
        for byte in text.bytes {
            while matched > 0, byte != bytes[matched] { matched = fallback[matched - 1] }
            if byte == bytes[matched] { matched += 1 }
            if matched == bytes.count { return true }
        }
        return false
    }
}
