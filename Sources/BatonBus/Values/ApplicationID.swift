// SPDX-License-Identifier: Apache-2.0

import Diagnosis

/// The id of an app: the name of its desktop entry, without `.desktop`.
package enum ApplicationID {
    /// The maximum length, in UTF-8 bytes.
    package static let maximumLength = 255

    /// Returns whether a text can be an app's id, and so the name of a desktop entry.
    package static func isValid(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    }

    /// The error for a text that cannot be an id.
    package static let invalid = BatonError(
        argument: "application", .argumentIdentifier, ["greatest": .count(maximumLength)])
}
