// SPDX-License-Identifier: Apache-2.0

/// The unescaped value of a key, as GLib reads it.
///
/// The escapes are `\s \n \t \r \\`, and `\;` in lists (gkeyfile.c,
/// `g_key_file_parse_value_as_string`).
struct KeyFileValue {
    /// The elements of a list, including empty ones, or the one text of another value.
    private(set) var pieces: [[UInt8]] = []
    /// Whether all escapes are known. An unknown escape stays unchanged in the text.
    private(set) var isValid = true

    /// Unescapes a value.
    ///
    /// - Parameters:
    ///   - value: The value from the file.
    ///   - isList: Whether `;` separates elements.
    init(_ value: ArraySlice<UInt8>, isList: Bool) {
        var piece: [UInt8] = []
        var isEscaped = false
        for byte in value {
            if isEscaped {
                isEscaped = false
                if let plain = Self.plain(byte, isList: isList) {
                    piece.append(plain)
                } else {
                    isValid = false
                    piece += [UInt8(ascii: "\\"), byte]
                }
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if isList, byte == UInt8(ascii: ";") {
                pieces.append(piece)
                piece = []
            } else {
                piece.append(byte)
            }
        }
        if isEscaped { isValid = false }
        if !piece.isEmpty { pieces.append(piece) }
    }

    /// The pieces that are UTF-8.
    var texts: [String] { pieces.compactMap { String(validating: $0, as: UTF8.self) } }

    private static func plain(_ byte: UInt8, isList: Bool) -> UInt8? {
        switch byte {
        case UInt8(ascii: "s"): 0x20
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "\\"): byte
        case UInt8(ascii: ";") where isList: byte
        default: nil
        }
    }
}
