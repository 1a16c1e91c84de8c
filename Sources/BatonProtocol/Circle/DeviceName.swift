// SPDX-License-Identifier: Apache-2.0

/// What a device may be called.
///
/// The characters are listed here and not asked of Unicode's tables: these grow, and a name that one device takes and another refuses would part a
/// circle. Source: `Documentation/Protocol/Circle.md`, "Device".
enum DeviceName {
    /// The longest name, in UTF-8 bytes.
    static let maximumLength = 63

    /// Controls, format characters (overrides of direction and tags among them), separators of lines, private use and noncharacters.
    static let refused: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x600...0x605, 0x61C...0x61C, 0x6DD...0x6DD, 0x70F...0x70F,
        0x890...0x891, 0x8E2...0x8E2, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFEFF...0xFEFF, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x110BD...0x110BD,
        0x110CD...0x110CD,
        0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF,
        0xF0000...0x10FFFF,
    ]

    /// Spaces, fillers and variation selectors: a name of these alone shows nothing.
    static let blank: [ClosedRange<UInt32>] = [
        0x20...0x20, 0xA0...0xA0, 0x34F...0x34F, 0x115F...0x1160, 0x1680...0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
        0x2000...0x200A, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0x3164...0x3164, 0xFE00...0xFE0F,
        0xFFA0...0xFFA0, 0xE0100...0xE01EF,
    ]

    /// Whether a name may be shown as it is.
    static func isValid(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { !contains(refused, $0) && $0.value & 0xFFFE != 0xFFFE }
            && name.unicodeScalars.contains { !contains(blank, $0) }
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
    }
}
