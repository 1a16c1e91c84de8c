// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Synchronization

/// The last line of the terminal, which a command rewrites while it runs. The lines that the tool
/// prints appear above it.
final class StatusLine: Sendable {
    static let standardError = StatusLine(Output.error)

    private let output: Output
    private let shown = Mutex<String?>(nil)

    init(_ output: Output) { self.output = output }

    /// Replaces the line. With nil, removes it.
    func show(_ text: String?) {
        shown.withLock { shown in
            if shown != nil { output.eraseLine() }
            shown = text
            if let text { output.writeLastLine(text) }
        }
    }

    /// Calls a function that prints something else, above the line.
    func makeWay(for body: () throws -> Void) throws {
        try shown.withLock { shown in
            if shown != nil { output.eraseLine() }
            defer { if let shown { output.writeLastLine(shown) } }
            try body()
        }
    }

    /// Returns a text that fits into a line of the terminal. The last column stays free, because
    /// some terminals begin a new line after it.
    static func cut(_ text: String, to columns: Int) -> String {
        var (width, result) = (0, "")
        for character in VisibleText.escaped(text) {
            width += character.columns
            guard width < columns else { return result }
            result.append(character)
        }
        return result
    }
}

extension Character {
    /// The Unicode blocks whose characters are two columns wide in a terminal.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    fileprivate var columns: Int {
        unicodeScalars.first.map { first in Self.wide.contains { $0.contains(first.value) } } == true ? 2 : 1
    }
}
