// SPDX-License-Identifier: Apache-2.0

/// The word of a rule that is being typed, as a shell passes it on.
struct RuleWord {
    /// What stands before the `=`; nil for a word without.
    private let key: String?
    /// Whether the shell replaces the value only: bash takes `=` for a word of its own.
    private let isValueAlone: Bool
    /// What the rule begins with; nil when that is the word.
    private let action: String?
    /// The keys that the rule has before this word.
    private let named: Set<String>

    /// - Parameters:
    ///   - words: The command line's words.
    ///   - index: Which one is being typed.
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

    /// Whether it may become `KEY=VALUE` with this key.
    func wants(_ key: String) -> Bool {
        if let typed = self.key { return typed == key }
        return action != nil && !named.contains(key) && !(action == "hide" && key == "device")
    }

    /// The word with a value, as far as the shell replaces it.
    func candidate(_ key: String, _ value: Candidate) -> Candidate? {
        isValueAlone ? value : Candidate("\(key)=\(value.word)", value.meaning)
    }

    /// What a rule may begin with.
    var actions: [Candidate] {
        let actions = [
            ("ask", "show the offer"), ("never", "do not show it"), ("near", "continue it once the device is near"),
            ("hide", "keep activities of this device to itself"),
        ]
        return action == nil ? actions.compactMap { Candidate($0.0, $0.1) } : []
    }
}
