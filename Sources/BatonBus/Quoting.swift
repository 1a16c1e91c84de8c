// SPDX-License-Identifier: Apache-2.0

/// Values of rules as they stand in the configuration: those with blanks or double quotes are in
/// double quotes, inside of which a backslash stands before a double quote and before another
/// backslash.
package enum Quoting {
    /// A value as it is read back.
    package static func quoted(_ value: String) -> String {
        guard value.contains(where: { " \t\"".contains($0) }) else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// What a value says.
    package static func unquoted(_ text: some StringProtocol) -> String {
        guard text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }
}
