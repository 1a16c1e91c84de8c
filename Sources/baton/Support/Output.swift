// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc

/// Where everything goes that the tool says: nothing else writes to a terminal (`OutputTests` looks
/// for it).
///
/// Each line is written at once, and whole. What comes from other devices and apps stands in it:
/// what is not to be seen is shown, not obeyed.
struct Output: Sendable {
    /// What was asked for. A command whose words cannot be written has failed.
    static let standard = Output(descriptor: STDOUT_FILENO, name: "standard output")
    static let error = Output(descriptor: STDERR_FILENO, name: "standard error")

    let descriptor: Int32
    /// What an error calls it.
    let name: String

    /// Writes a line to standard error; if that cannot be written, there is nowhere to say so.
    static func note(_ text: String) { try? error.line(text) }

    /// Warns on standard error.
    @Sendable
    static func warn(_ text: String) { note("baton: warning: \(text)") }

    /// Writes one line of text, whatever is in it.
    ///
    /// - Throws: ``OutputFailure``, as all that writes.
    func line(_ text: String) throws { try write(VisibleText.escaped(text) + "\n") }

    /// Writes a text of several lines that is the tool's own: help, or a script for a shell. Line
    /// ends and tabs stay.
    func lines(_ text: String) throws {
        try write(
            VisibleText.replacing(text) {
                ["\n", "\t"].contains($0) ? String($0) : VisibleText.escaped(String($0))
            } + "\n")
    }

    /// Writes JSON, with what is not to be seen in the form that JSON has for it: the document
    /// means the same.
    func json(_ node: JSONNode, pretty: Bool = false) throws { try write(try node.text(pretty: pretty) + "\n") }

    /// Draws a picture for a terminal that shows colours: lines of blocks, light on dark.
    func picture(_ lines: [String], inColours: Bool) throws {
        for line in lines.map(VisibleText.escaped) {
            try write(inColours ? "\u{1B}[97;40m\(line)\u{1B}[0m\n" : line + "\n")
        }
    }

    /// Shows lines in place of what a terminal shows, as many and as much of them as it has room
    /// for.
    func screen(_ lines: [String], columns: Int, rows: Int) throws {
        let shown = lines.prefix(max(rows - 1, 1)).map { VisibleText.escaped($0).prefix(columns) + "\n" }
        try write("\u{1B}[H\u{1B}[2J" + shown.joined())
    }

    private func write(_ text: String) throws {
        do {
            try Descriptor.writeAll(Array(text.utf8)[...], to: descriptor, called: name)
        } catch let error as ToolFailure {
            throw OutputFailure(error)
        }
    }
}

/// Standard output could not be written: the disk is full, it is closed, or nobody reads it any
/// more.
struct OutputFailure: Error, CustomStringConvertible {
    let reason: String
    /// Whether it is a pipe that was closed at its other end, which is no news to whoever closed
    /// it.
    let readerHasGone: Bool

    var description: String { reason }

    init(_ failure: ToolFailure) {
        reason = failure.description
        readerHasGone = failure.code == EPIPE
    }
}
