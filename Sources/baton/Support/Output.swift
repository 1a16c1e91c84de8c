// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc
import Threads
import UserInfoJSON

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

    /// Does something until it ends, or until nobody reads any more what is written, as when `head`
    /// has seen enough: what only shows changes would notice that at the next one.
    ///
    /// - Throws: ``OutputFailure`` once the reader has gone, else what `body` throws.
    func whileRead(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (departures, sink) = AsyncStream.makeStream(of: Void.self)
        OwnThread.startOrDoHere {
            // A pipe that nobody reads is an error, which is told unasked. Of others nothing is
            // told.
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

    /// Nobody reads it any more.
    init(readerOf name: String) { self.init(ToolFailure("cannot write to \(name)", errno: EPIPE)) }
}
