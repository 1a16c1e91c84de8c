// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where lines for people and programs go; each line is written at once, and whole.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// Writes text and a newline. A reader that has gone is no reason to fail: what is done is done.
    func line(_ text: String) {
        try? Descriptor.writeAll(Array((text + "\n").utf8)[...], to: descriptor, called: "the output")
    }

    /// Text of another device or app, safe for a terminal: control characters are shown, not obeyed.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
