// SPDX-License-Identifier: Apache-2.0

import TraceModel

extension FuzzTarget {
    /// A trace from an untrusted file, and its drawing.
    static let trace = FuzzTarget("trace") {
        let lines = [
            TraceLine(.trace, "begin", about: ["version": "1"], at: 1), TraceLine(.radio, "heard", at: 2),
            TraceLine(.connections, "dial", span: 1, phase: .begin, about: ["device": "A"], at: 3),
            TraceLine(.connections, "dial", span: 1, phase: .end, about: ["failure": "refused"], at: 4),
        ]
        return [lines.flatMap { $0.encoded ?? [] }]
    } body: { input in
        let lines = input.split(separator: UInt8(ascii: "\n")).compactMap { TraceLine($0) }
        for line in lines {
            guard let text = line.encoded else { continue }
            try FuzzFinding.unless("what was read is read again") { TraceLine(text.dropLast()) == line }
        }
        let html = TraceDrawing(lines).html
        try FuzzFinding.unless("nothing is run") { !html.lowercased().contains("<script") }
        try FuzzFinding.unless("there is one page") {
            html.split(separator: "<html", omittingEmptySubsequences: false).count == 2
        }
    }
}
