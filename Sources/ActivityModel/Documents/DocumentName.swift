// SPDX-License-Identifier: Apache-2.0

/// Names of files on their way to another laptop.
package enum DocumentName {
    /// The longest name, in UTF-8 bytes.
    package static let maximumLength = 255

    /// Whether this can be a file's name: no path.
    package static func isName(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count) && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// A name as it can be shown, without control characters. It is no longer than a name may be.
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
