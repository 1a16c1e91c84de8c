// SPDX-License-Identifier: Apache-2.0

/// The word of a rule that the user is typing.
struct RuleWord {
    /// The text before the `=`, or `nil` for a word without `=`.
    private let key: String?
    /// Whether the shell replaces only the value after `=`, as bash does, which splits words there.
    private let isValueAlone: Bool
    /// The first word of the rule, or `nil` if the user is typing it.
    private let action: String?
    /// The keys that appear in the rule before this word.
    private let named: Set<String>

    /// Finds the word in a command line.
    ///
    /// - Parameters:
    ///   - words: The words of the command line.
    ///   - index: The index of the word that the user is typing.
    init(_ words: [String], _ index: Int) {
        if let equals = [index, index - 1].first(where: { words.indices.contains($0) && words[$0] == "=" }) {
            key = equals > 0 ? words[equals - 1] : ""
            isValueAlone = true
        } else {
            let word = words.indices.contains(index) ? words[index] : ""
            key = word.firstIndex(of: "=").map { String(word[..<$0]) }
            isValueAlone = false
        }
        let before = words.prefix(index).drop { $0 != "add" }.dropFirst().filter { !$0.hasPrefix("-") }
        action = before.first
        named = Set(
            before.indices.compactMap { index in
                if before.indices.contains(index + 1), before[index + 1] == "=" { return before[index] }
                return before[index].firstIndex(of: "=").map { String(before[index][..<$0]) }
            })
    }

    /// Returns whether the word may become `KEY=VALUE` with this key.
    func wants(_ key: String) -> Bool {
        if let typed = self.key { return typed == key }
        return action != nil && !named.contains(key) && !(action == "hide" && key == "device")
    }

    /// Returns the completed word, or only the value if the shell replaces only that.
    func candidate(_ key: String, _ value: Candidate) -> Candidate? {
        isValueAlone ? value : Candidate("\(key)=\(value.word)", value.meaning)
    }

    /// The possible first words of a rule.
    var actions: [Candidate] {
        let actions = [
            ("ask", "show the offer"), ("never", "do not show it"), ("near", "continue it once the device is near"),
            ("hide", "keep activities of this device to itself"),
        ]
        return action == nil ? actions.compactMap { Candidate($0.0, $0.1) } : []
    }
}
