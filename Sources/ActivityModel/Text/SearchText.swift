// SPDX-License-Identifier: Apache-2.0

@_spi(_Unicode) import Swift

/// A text prepared for searching: without case, without accents and other marks.
///
/// Letters with marks become plain letters in Latin, Greek and Cyrillic. A search finds the same
/// texts as Foundation's `range(of:options:)` with `caseInsensitive` and `diacriticInsensitive`,
/// which would need ICU. The normal forms come from the standard library, as in
/// FoundationEssentials (Decision 0053).
struct SearchText {
    /// A letter loses its marks only if the plain letter is below this value, as in Foundation.
    ///
    /// In other scripts a composed letter is a different letter: が is not か.
    private static let firstComposed: UInt32 = 0x510

    let bytes: [UInt8]

    init(_ text: String) {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
            bytes = text.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
            return
        }
        let letters = Self.withoutMarks(text)
        // Convert to lower case, then to upper case. Upper case makes ß equal to ss, and σ equal to
        // ς. Lower case makes ẞ equal to ß.
        bytes = Array(letters.lowercased().uppercased().utf8)
    }

    private static func withoutMarks(_ text: String) -> String {
        var letters = String.UnicodeScalarView()
        for scalar in text._nfc {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            default: break
            }
            let base = String(scalar)._nfd.first { _ in true } ?? scalar
            letters.append(base.value < firstComposed ? base : scalar)
        }
        return String(letters)
    }
}
