// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Checks the names of devices.
///
/// `VisibleText` defines the allowed characters. Source: `Documentation/Protocol/Circle.md`,
/// "Device".
enum DeviceName {
    /// The maximum length of a name, in UTF-8 bytes.
    static let maximumLength = 63

    /// Returns whether a name is safe to show.
    static func isValid(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count) && VisibleText.isReadable(name) && !VisibleText.isBlank(name)
    }

    /// Returns whether a user may choose a name for a device.
    ///
    /// The name must not look like an id or begin with a combining mark. The name must not begin or
    /// end with a space, because nobody would see the space.
    static func mayBeChosen(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !name.isDeviceID, isValid(name) else { return false }
        let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark, .enclosingMark]
        return !marks.contains(first.properties.generalCategory) && name.first?.isWhitespace == false
            && name.last?.isWhitespace == false
    }
}
