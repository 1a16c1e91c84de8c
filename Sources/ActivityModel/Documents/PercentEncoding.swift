// SPDX-License-Identifier: Apache-2.0

/// Percent-encodes and decodes parts of URLs (RFC 3986, section 2).
///
/// FoundationEssentials has no such functions.
package enum PercentEncoding {
    /// Encodes a text. Only unreserved characters stay as they are.
    package static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            if isUnreserved(byte) { return String(UnicodeScalar(byte)) }
            return "%" + byte.hexadecimal().uppercased()
        }.joined()
    }

    /// Decodes a text.
    ///
    /// Returns nil for a percent sign without two hexadecimal digits, or for bytes that are not
    /// UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
