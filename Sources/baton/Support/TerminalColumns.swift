// SPDX-License-Identifier: Apache-2.0

extension Character {
    /// The characters that take two columns of a terminal.
    ///
    /// Source: Unicode 15.0, EastAsianWidth.txt, the blocks with the widths W and F.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    /// How many columns of a terminal the character takes.
    var columns: Int {
        let first = unicodeScalars.first?.value ?? 0
        return Self.wide.contains { $0.contains(first) } ? 2 : 1
    }
}

extension String {
    /// How many columns of a terminal the text takes.
    var columns: Int { reduce(0) { $0 + $1.columns } }
}
