// SPDX-License-Identifier: Apache-2.0

/// A line of a key file, by GLib's rules (gkeyfile.c, `g_key_file_parse_line`).
///
/// GLib treats a line as a C string, which ends at a NUL.
enum KeyFileLine {
    /// A comment, `# text`, or an empty line.
    case comment
    /// The beginning of a group, `[name]`.
    case group([UInt8])
    /// A pair, `key=value`. The value has all bytes to the end of the line.
    case pair(key: [UInt8], value: ArraySlice<UInt8>)

    /// Reads a line.
    ///
    /// - Parameter line: The line without its end and leading spaces.
    /// - Returns: Nil if the line is invalid.
    init?(_ line: ArraySlice<UInt8>) {
        let text = line.prefix { $0 != 0 }
        if text.isEmpty || text.first == UInt8(ascii: "#") {
            self = .comment
        } else if Self.isGroup(text) {
            guard let name = Self.groupName(line) else { return nil }
            self = .group(name)
        } else {
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else { return nil }
            let key = Self.trimmedAtEnd(text[..<equals])
            guard Self.isKey(key) else { return nil }
            self = .pair(key: Array(key), value: line[(equals + 1)...].drop(while: KeyFile.isSpace))
        }
    }

    private static func isGroup(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "["), let close = text.firstIndex(of: UInt8(ascii: "]")) else { return false }
        // Skip continuation bytes of UTF-8 as GLib does, even where no character begins.
        return text[(close + 1)...].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 & 0xC0 == 0x80 }
    }

    /// Returns the name between the brackets, or nil if GLib rejects it.
    private static func groupName(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let close = line.lastIndex(of: UInt8(ascii: "]")) else { return nil }
        let name = line[(line.startIndex + 1)..<close].prefix { $0 != 0 }
        let isName =
            !name.isEmpty
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
        return isName ? Array(name) : nil
    }

    private static func trimmedAtEnd(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.lastIndex { !KeyFile.isSpace($0) }.map { text[...$0] } ?? []
    }

    /// Returns whether a text is a key's name, with or without a locale: `Name[de_AT]`.
    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        let name = key.prefix { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
        guard !name.isEmpty, name.last != 0x20 else { return false }
        let rest = key[name.endIndex...]
        guard !rest.isEmpty else { return true }
        guard rest.first == UInt8(ascii: "["), rest.last == UInt8(ascii: "]"),
            let locale = String(validating: rest.dropFirst().dropLast(), as: UTF8.self)
        else { return false }
        return locale.unicodeScalars.allSatisfy { isAlphanumeric($0) || "-_.@".unicodeScalars.contains($0) }
    }

    /// Returns whether a character is a letter or a digit, like `g_unichar_isalnum`.
    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
