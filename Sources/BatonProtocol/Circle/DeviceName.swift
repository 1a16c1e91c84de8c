// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// What a device may be called.
///
/// Its characters are those of `VisibleText`. Source: `Documentation/Protocol/Circle.md`, "Device".
enum DeviceName {
    /// The longest name, in UTF-8 bytes.
    static let maximumLength = 63

    /// Spaces, fillers and variation selectors: a name of these alone shows nothing.
    static let blank: [ClosedRange<UInt32>] = [
        0x20...0x20, 0xA0...0xA0, 0x34F...0x34F, 0x115F...0x1160, 0x1680...0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
        0x2000...0x200A, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0x3164...0x3164, 0xFE00...0xFE0F,
        0xFFA0...0xFFA0, 0xE0100...0xE01EF,
    ]

    /// Whether a name may be shown as it is.
    static func isValid(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count)
            && VisibleText.isVisible(name)
            && name.unicodeScalars.contains { scalar in !blank.contains { $0.contains(scalar.value) } }
    }
}
