// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser

/// A word that a shell may complete to. What other devices and apps call themselves stands in it:
/// each shell gets it so that it is inserted as it is, and nothing of it is carried out.
struct Candidate: Hashable {
    let word: String
    /// What it is, for shells that show that: zsh and fish.
    let meaning: String

    /// A candidate; nil for a word that could not be given on a command line: of several lines,
    /// with what cannot be seen, an option, or what fish takes for somebody's home.
    init?(_ word: String, _ meaning: String = "") {
        guard VisibleText.isReadable(word), !VisibleText.isBlank(word), !word.hasPrefix("-"), !word.hasPrefix("~")
        else { return nil }
        self.word = word
        self.meaning = VisibleText.escaped(meaning)
    }

    /// The line that the completion script of a shell wants, as swift-argument-parser makes that.
    func line(for shell: CompletionShell?) -> String {
        switch shell {
        // `compgen -W` expands its words as a command line's: substitutions, too.
        case .bash?: "'" + word.replacing("'", with: #"'\''"#) + "'"
        // `_describe` takes what stands before the first colon.
        case .zsh?:
            word.replacing("\\", with: "\\\\").replacing(":", with: "\\:") + (meaning.isEmpty ? "" : ":" + meaning)
        case .fish?: word + (meaning.isEmpty ? "" : "\t" + meaning)
        default: word
        }
    }
}
