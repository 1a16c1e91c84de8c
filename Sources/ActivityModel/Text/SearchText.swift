// SPDX-License-Identifier: Apache-2.0

@_spi(_Unicode) import Swift

/// A text as a search compares it: without case, without marks such as accents, and with the plain
/// letters of Latin, Greek and Cyrillic.
///
/// As Foundation's `range(of:options:)` with `caseInsensitive` and `diacriticInsensitive`, which
/// would bring ICU with it. The normal forms are those of the standard library, which
/// FoundationEssentials takes in the same way (Decision 0053).
struct SearchText {
    /// Only letters below are taken apart, as Foundation does: in other scripts a composed letter
    /// is another letter, as が is not か.
    private static let firstComposed: UInt32 = 0x510

    let bytes: [UInt8]

    init(_ text: String) {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
            bytes = text.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
            return
        }
        let letters = Self.withoutMarks(text)
        // By both cases, since ß and ss are one in upper case only, and so are σ and ς; ẞ in lower
        // case only.
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
