// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A typed yes or no.
enum Answer {
    case yes
    case no

    /// Parses a line. Returns `nil` if the line is neither yes nor no.
    init?(_ line: String) {
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "yes", "y": self = .yes
        case "no", "n": self = .no
        default: return nil
        }
    }

    /// The message after a line that is neither yes nor no.
    static let wanted = "please answer yes or no"
}

/// Asks before a step that cannot be undone.
enum Confirmation {
    /// Asks the user at the terminal. If standard input is not a terminal, as in a script, does not
    /// ask, and continues.
    ///
    /// - Parameters:
    ///   - question: The step that is about to happen.
    ///   - isGiven: Whether the user has already agreed, as with `--yes`.
    /// - Throws: ``ToolFailure`` when the answer is not yes, or when the task is cancelled.
    static func ask(_ question: String, unless isGiven: Bool) async throws {
        guard !isGiven, Terminal(STDIN_FILENO).isTerminal else { return }
        Output.note("\(question) (yes or no)")
        for await line in TypedLines().stream() {
            switch Answer(line) {
            case .yes: return
            case .no: throw refusal
            case nil: Output.note(Answer.wanted)
            }
        }
        throw Task.isCancelled ? interruption : refusal
    }

    private static let refusal = ToolFailure("nothing was done", status: .refused)
    private static let interruption = ToolFailure("interrupted; nothing was done", status: .interrupted)
}
