// SPDX-License-Identifier: Apache-2.0

/// Checks the names of files that are sent to another laptop, and makes them safe to show.
package enum DocumentName {
    /// The maximum length of a name, in UTF-8 bytes.
    package static let maximumLength = 255

    /// Returns whether a text can be the name of a file. A path cannot.
    package static func isName(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count) && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// Returns a name that is safe to show.
    ///
    /// The result has no control characters. A valid name does not become longer than
    /// ``maximumLength``.
    package static func shown(_ name: String) -> String {
        let shown = replacingControls(in: name, by: "\u{FFFD}")
        return shown == name || shown.utf8.count <= maximumLength ? shown : replacingControls(in: name, by: "_")
    }

    private static func replacingControls(in name: String, by sign: Unicode.Scalar) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .control ? sign : scalar)
        }
        return String(scalars)
    }
}
