// SPDX-License-Identifier: Apache-2.0

/// Parses the names that desktops give to the units of apps.
///
/// Source: systemd, "Desktop Environment Integration".
enum UnitName {
    /// Returns the application's id in the name of an app's unit.
    ///
    /// Such a name is `app[-LAUNCHER]-ID-RANDOM.scope`, `app[-LAUNCHER]-ID[@RANDOM].service` or
    /// `app[-LAUNCHER]-ID-RANDOM.slice`.
    ///
    /// - Returns: The id, or nil for any other unit name.
    static func applicationID(in unit: String) -> String? {
        guard unit.hasPrefix("app-"), unit.utf8.count <= 255, let dot = unit.lastIndex(of: ".") else { return nil }
        var name = unit[unit.index(unit.startIndex, offsetBy: 4)..<dot]
        switch unit[dot...] {
        case ".service":
            if let at = name.lastIndex(of: "@") { name = name[..<at] }
        case ".scope", ".slice":
            guard let dash = name.lastIndex(of: "-") else { return nil }
            name = name[..<dash]
        default: return nil
        }
        // The launcher's part has no dots and no escapes. The dashes of an id are escaped.
        if let dash = name.firstIndex(of: "-"), name[..<dash].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        {
            name = name[name.index(after: dash)...]
        }
        guard let id = unescaped(name), !id.isEmpty, !id.utf8.contains(UInt8(ascii: "/")), !id.utf8.contains(0) else {
            return nil
        }
        return id
    }

    /// Undoes systemd's escapes, `\xHH` for one byte each. Returns nil for an invalid escape, or
    /// for bytes that are not UTF-8.
    private static func unescaped(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard rest.popFirst() == UInt8(ascii: "x"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
