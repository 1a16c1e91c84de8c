// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A yes or a no that somebody typed.
enum Answer {
    case yes
    case no

    /// Reads a line; nil when it is neither.
    init?(_ line: String) {
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "yes", "y": self = .yes
        case "no", "n": self = .no
        default: return nil
        }
    }

    /// What to say of a line that is neither.
    static let wanted = "please answer yes or no"
}

/// A question before something that cannot be undone.
enum Confirmation {
    /// Asks whoever sits at the terminal, until the task is cancelled. Where standard input is
    /// none, as in a script, nobody is asked and it goes on.
    ///
    /// - Parameters:
    ///   - question: What is about to be done.
    ///   - isGiven: Whether the answer is known to be yes, as by `--yes`.
    /// - Throws: ``ToolFailure`` when the answer is not yes.
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
