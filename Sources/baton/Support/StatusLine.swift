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
