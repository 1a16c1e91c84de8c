// SPDX-License-Identifier: Apache-2.0

import TraceModel

/// The two files of a trace. The files appear when the trace is complete, and never replace
/// existing files.
struct TraceFiles: Sendable {
    /// The largest size of a trace that is read, in bytes.
    static let maximumLength = 64 << 20

    private let name: String
    private let lines: NewFile

    /// Begins the first file.
    ///
    /// - Throws: ``ToolFailure`` when the directory cannot be written, or when one of the files
    ///   exists. The names are checked before the recording, so that no recording is lost.
    init(named name: String) throws {
        self.name = name
        for path in [name + ".jsonl", name + ".html"] { try NewFile.checkFree(path) }
        lines = try NewFile(path: name + ".jsonl", mode: 0o600)
    }

    func append(_ line: [UInt8]) throws {
        try Descriptor.writeAll(line[...], to: lines.descriptor.number, called: name + ".jsonl")
    }

    /// Completes the first file, and gives it its final name.
    ///
    /// - Returns: The file's name.
    func keep() throws -> String {
        try lines.createExclusively()
        return name + ".jsonl"
    }

    /// Writes the drawing.
    ///
    /// - Returns: The file's name.
    func draw(_ lines: [TraceLine]) throws -> String {
        try Self.write(TraceDrawing(lines).html, to: name + ".html")
        return name + ".html"
    }

    /// Writes a new file. Throws if a file with this name exists.
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
