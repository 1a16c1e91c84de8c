// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// What a device may be called.
///
/// Its characters are those of `VisibleText`. Source: `Documentation/Protocol/Circle.md`, "Device".
enum DeviceName {
    /// The longest name, in UTF-8 bytes.
    static let maximumLength = 63

    /// Whether a name may be shown as it is.
    static func isValid(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count) && VisibleText.isReadable(name) && !VisibleText.isBlank(name)
    }

    /// Whether a user may give it to a device: it is not taken for an id, begins with a character
    /// of its own, and has no spaces at its ends, which nobody would see.
    static func mayBeChosen(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !name.isDeviceID, isValid(name) else { return false }
        let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark, .enclosingMark]
        return !marks.contains(first.properties.generalCategory) && name.first?.isWhitespace == false
            && name.last?.isWhitespace == false
    }
}
