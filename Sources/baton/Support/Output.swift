// SPDX-License-Identifier: Apache-2.0

import Glibc
import UserActivity

/// Where everything goes that the tool says: nothing else writes to a terminal (`OutputTests` looks for it).
///
/// Each line is written at once, and whole. What comes from other devices and apps stands in it: what is not to be seen is shown, not obeyed.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// Writes one line of text, whatever is in it.
    func line(_ text: String) { write(VisibleText.escaped(text) + "\n") }

    /// Writes a text of several lines that is the tool's own: help, or a script for a shell. Line ends and tabs stay.
    func lines(_ text: String) {
        write(
            VisibleText.replacing(text) {
                ["\n", "\t"].contains($0) ? String($0) : VisibleText.escaped(String($0))
            } + "\n")
    }

    /// Writes JSON, with what is not to be seen in the form that JSON has for it: the document means the same.
    func json(_ node: JSONNode, pretty: Bool = false) throws { write(try node.text(pretty: pretty) + "\n") }

    /// Draws a picture for a terminal that shows colours: lines of blocks, light on dark.
    func picture(_ lines: [String], inColours: Bool) {
        for line in lines.map(VisibleText.escaped) {
            write(inColours ? "\u{1B}[97;40m\(line)\u{1B}[0m\n" : line + "\n")
        }
    }

    /// A reader that has gone is no reason to fail: what is done is done.
    private func write(_ text: String) {
        try? Descriptor.writeAll(Array(text.utf8)[...], to: descriptor, called: "the output")
    }
}
