// SPDX-License-Identifier: Apache-2.0

/// The quoting of rule values in the configuration.
///
/// A value with spaces, tabs or double quotes is enclosed in double quotes. Within the quotes, a
/// backslash precedes each double quote and each backslash.
package enum Quoting {
    /// Returns a value, in quotes if it needs them.
    package static func quoted(_ value: String) -> String {
        guard value.contains(where: { " \t\"".contains($0) }) else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Returns the value that a text with or without quotes represents.
    package static func unquoted(_ text: some StringProtocol) -> String {
        guard text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }
}
