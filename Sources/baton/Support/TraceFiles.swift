// SPDX-License-Identifier: Apache-2.0

import TraceModel

/// The two files of a trace: they appear when it is whole, and take the place of none.
struct TraceFiles: Sendable {
    /// The most bytes that are read of a trace.
    static let maximumLength = 64 << 20

    private let name: String
    private let lines: NewFile

    /// Begins the first of them.
    ///
    /// - Throws: ``ToolFailure`` when nothing can be written there, or one of them is there
    ///   already: what is recorded would be lost.
    init(named name: String) throws {
        self.name = name
        for path in [name + ".jsonl", name + ".html"] { try NewFile.checkFree(path) }
        lines = try NewFile(path: name + ".jsonl", mode: 0o600)
    }

    /// Writes a line.
    func append(_ line: [UInt8]) throws {
        try Descriptor.writeAll(line[...], to: lines.descriptor.number, called: name + ".jsonl")
    }

    /// Ends the first, and gives it its name.
    ///
    /// - Returns: Its name.
    func keep() throws -> String {
        try lines.createExclusively()
        return name + ".jsonl"
    }

    /// Writes the drawing.
    ///
    /// - Returns: Its name.
    func draw(_ lines: [TraceLine]) throws -> String {
        try Self.write(TraceDrawing(lines).html, to: name + ".html")
        return name + ".html"
    }

    /// Drops what was written so far.
    func discard() { lines.discard() }

    /// Writes a file that was not there before.
    static func write(_ text: String, to path: String) throws {
        let file = try NewFile(path: path, mode: 0o600)
        do {
            try Descriptor.writeAll(Array(text.utf8)[...], to: file.descriptor.number, called: path)
        } catch {
            file.discard()
            throw error
        }
        try file.createExclusively()
    }
}
