// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser

/// A word that a shell may complete to.
///
/// A candidate may contain names that other devices and apps chose. So each shell gets the word in
/// a form that the shell inserts unchanged and never executes.
struct Candidate: Hashable {
    let word: String
    /// The description, which zsh and fish show.
    let meaning: String

    /// Creates a candidate. Returns `nil` for a word that cannot be used on a command line.
    ///
    /// Such words have several lines or invisible characters, look like an option, or begin with
    /// `~`, which fish expands.
    init?(_ word: String, _ meaning: String = "") {
        // Compare the first scalar, because a combining mark may follow it. In Swift, a dash with a
        // mark is one `Character`, which does not equal a dash.
        guard VisibleText.isReadable(word), !VisibleText.isBlank(word), let first = word.unicodeScalars.first,
            first != "-", first != "~"
        else { return nil }
        self.word = word
        self.meaning = VisibleText.escaped(meaning)
    }

    /// Returns the line for a shell's completion script, as swift-argument-parser generates it.
    func line(for shell: CompletionShell?) -> String {
        switch shell {
        // `compgen -W` expands its words like a command line, including substitutions.
        case .bash?: "'" + word.replacingScalars(["'": #"'\''"#]) + "'"
        // `_describe` takes the text before the first colon as the word.
        case .zsh?:
            word.replacingScalars(["\\": "\\\\", ":": "\\:"]) + (meaning.isEmpty ? "" : ":" + meaning)
        case .fish?: word + (meaning.isEmpty ? "" : "\t" + meaning)
        default: word
        }
    }
}
