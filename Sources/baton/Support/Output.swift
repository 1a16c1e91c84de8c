// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc
import Threads
import UserInfoJSON

/// The only way for the tool to print (`OutputTests` checks that).
///
/// Each line is written at once and completely. Lines may contain texts of other devices and apps,
/// so invisible characters are shown in escaped form.
struct Output: Sendable {
    /// Standard output, for the requested data. A command that cannot write it has failed.
    static let standard = Output(descriptor: STDOUT_FILENO, name: "standard output")
    static let error = Output(descriptor: STDERR_FILENO, name: "standard error")

    let descriptor: Int32
    /// The name for errors.
    let name: String

    /// Prints a line to standard error. A failure is ignored, because there is nowhere to report
    /// it.
    static func note(_ text: String) { try? error.line(text) }

    /// Prints a warning to standard error.
    @Sendable
    static func warn(_ text: String) { note("baton: warning: \(text)") }

    /// Prints one line of any text.
    ///
    /// - Throws: ``OutputFailure``, like all methods that print.
    func line(_ text: String) throws { try write(VisibleText.escaped(text) + "\n") }

    /// Prints a text of several lines that the tool itself made, such as help. Line ends and tabs
    /// are not escaped.
    func lines(_ text: String) throws {
        try write(
            VisibleText.replacing(text) {
                ["\n", "\t"].contains($0) ? String($0) : VisibleText.escaped(String($0))
            } + "\n")
    }

    /// Prints JSON. Invisible characters get JSON escapes, which do not change the document's
    /// meaning.
    func json(_ node: JSONNode, pretty: Bool = false) throws { try write(try node.text(pretty: pretty) + "\n") }

    /// Prints a picture made of block characters, light on dark if the terminal shows colours.
    func picture(_ lines: [String], inColours: Bool) throws {
        for line in lines.map(VisibleText.escaped) {
            try write(inColours ? "\u{1B}[97;40m\(line)\u{1B}[0m\n" : line + "\n")
        }
    }

    /// Replaces the terminal's contents with lines, cut to the terminal's size.
    func screen(_ lines: [String], columns: Int, rows: Int) throws {
        let shown = lines.prefix(max(rows - 1, 1)).map { VisibleText.escaped($0).prefix(columns) + "\n" }
        try write("\u{1B}[H\u{1B}[2J" + shown.joined())
    }

    /// Runs a closure until it ends, or until a reader such as `head` closes the output. A command
    /// that prints only changes would otherwise run on until the next change.
    ///
    /// - Throws: ``OutputFailure`` when the reader has gone, or the error of `body`.
    func whileRead(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (departures, sink) = AsyncStream.makeStream(of: Void.self)
        OwnThread.startOrDoHere {
            // poll(2) returns when a pipe has no reader, even without requested events. For other
            // files poll(2) waits forever.
            var end = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&end, 1, -1) < 0, errno == EINTR {}
            sink.yield()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: body)
            group.addTask {
                for await _ in departures { throw OutputFailure(readerOf: name) }
                try Task.checkCancellation()
            }
            try await group.next()
        }
    }

    /// Writes the line at the cursor, cut to the terminal's width. The next line that is printed
    /// would follow it at once, so ``StatusLine`` erases it first.
    func writeLastLine(_ text: String) {
        guard isInForeground else { return }
        let columns = Terminal(descriptor).columns ?? 80
        try? writeNow(StatusLine.cut(text, to: columns))
    }

    func eraseLine() { if isInForeground { try? writeNow("\r\u{1B}[K") } }

    /// Whether this command has the terminal. If the shell runs it in the background, the
    /// terminal's lines belong to others.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group == -1 || group == getpgrp()
    }

    private func write(_ text: String) throws {
        // Only a text on a terminal can meet the status line. Otherwise a pipe that nobody reads
        // would stop the line.
        guard isatty(descriptor) == 1 else { return try writeNow(text) }
        try StatusLine.standardError.makeWay { try writeNow(text) }
    }

    private func writeNow(_ text: String) throws {
        do {
            try Descriptor.writeAll(Array(text.utf8)[...], to: descriptor, called: name)
        } catch let error as ToolFailure {
            throw OutputFailure(error)
        }
    }
}

/// A failure to write standard output: the disk is full, the output is closed, or its reader has
/// gone.
struct OutputFailure: Error, CustomStringConvertible {
    let reason: String
    /// Whether the output is a pipe whose reader has closed it. The user needs no message about
    /// that.
    let readerHasGone: Bool

    var description: String { reason }

    init(_ failure: ToolFailure) {
        reason = failure.description
        readerHasGone = failure.code == EPIPE
    }

    /// Creates the failure for an output whose reader has closed it.
    init(readerOf name: String) { self.init(ToolFailure("cannot write to \(name)", errno: EPIPE)) }
}
