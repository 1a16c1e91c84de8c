// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@Suite struct CircleNameTests {
    @Test(
        "Names in any script, with joiners and emoji, can be shown",
        arguments: [
            "a", "Laptop", "Anna's laptop", "ноутбук", "می\u{200C}خواهم", "ක්\u{200D}ෂ", "👩‍💻", "❤️‍🔥", "👨‍👩‍👧‍👦 home", "ノートパソコン",
            "محمول", "💻", "❤️", "é", "a b",
            String(repeating: "n", count: 63), String(repeating: "é", count: 31),
        ])
    func namesThatMayBeShown(name: String) { #expect(Member.isValidName(name)) }

    @Test(
        "Empty names and names with control characters are rejected",
        arguments: [
            "", " ", "\u{00A0}\u{3000}", "\n", "a\n", "a\tb", "a\u{0}", "a\u{7F}", "a\u{85}", "\u{1B}[2Jlaptop",
        ])
    func emptyNamesAndControls(name: String) { #expect(!Member.isValidName(name)) }

    /// Names of other devices are accepted unchanged.
    @Test(
        "A user cannot choose a name like an id, with outer spaces or a mark first, but other devices may have such a name",
        arguments: [
            "deadbeef", "DEADbeef", " desk", "desk ", "desk\u{00A0}", "\u{0301}", "\u{0301}\u{0302}desk",
            "\u{0903}desk",
        ])
    func namesThatAreNotChosen(name: String) {
        #expect(!Member.mayBeChosen(asName: name) && Member.isValidName(name))
        #expect(Member.mayBeChosen(asName: "my desk") && Member.mayBeChosen(asName: "Deadbeer"))
        #expect(Member.mayBeChosen(asName: "e\u{0301}lan") && Member.mayBeChosen(asName: "โน้ตบุ๊ก"))
    }

    /// Overrides, embeddings, isolates and direction marks can make a name look like another.
    @Test(
        "Bidirectional overrides and other direction controls are rejected in a name",
        arguments: [
            "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
            "\u{200E}", "\u{200F}", "\u{061C}",
        ])
    func bidirectionalOverrides(control: String) {
        #expect(!Member.isValidName("laptop \(control)anna"))
    }

    @Test(
        "Invisible and private-use characters are rejected in a name",
        arguments: [
            "\u{200B}", "\u{200C}", "\u{200D}", "\u{200D}\u{200D}a", "\u{200D} a", "\u{200D}\u{202E}a", " \u{200C}a",
            "\u{3164}\u{200D}a", "\u{FEFF}", "\u{00AD}", "\u{2028}", "\u{2029}", "\u{E000}", "\u{E0041}", "\u{10FFFF}",
            "\u{FFF9}",
        ])
    func invisibleCharacters(character: String) {
        #expect(!Member.isValidName("laptop\(character)"))
    }

    /// A device with older Unicode tables must not reject names that another device accepts.
    @Test(
        "A character that Unicode has not assigned yet is allowed in a name",
        arguments: ["\u{0378}", "\u{1FAE8}", "\u{3FFF0}"])
    func unassignedCharacters(character: String) {
        #expect(Member.isValidName("laptop\(character)"))
    }

    /// The list follows Unicode 15. Later versions of Unicode do not change it.
    @Test("The list of rejected characters agrees with Unicode's tables, up to version 15")
    func listIsThatOfUnicodesTables() {
        // Check all planes with characters. The first and the last private-use characters are
        // enough.
        let ranges: [ClosedRange<UInt32>] = [0...0xDFFF, 0xF8FE...0x323AF, 0xE0000...0xE0FFF, 0xF0000...0xF0001]
        let differing = ranges.joined().compactMap(Unicode.Scalar.init).filter { scalar in
            let properties = scalar.properties
            let isRefused: Bool
            switch properties.generalCategory {
            case .unassigned: return false
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: isRefused = true
            default: isRefused = false
            }
            guard let age = properties.age, age.major <= 15 else { return false }
            let isBlank = properties.isWhitespace || properties.isDefaultIgnorableCodePoint
            return Member.isValidName("a\(scalar)") == isRefused
                || Member.isValidName(String(scalar)) != (!isRefused && !isBlank)
        }
        #expect(differing == [])
    }

    @Test(
        "Noncharacters are rejected in a name",
        arguments: [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x3FFFF] as [UInt32])
    func noncharactersAreRefused(value: UInt32) throws {
        #expect(!Member.isValidName("laptop\(try #require(Unicode.Scalar(value)))"))
    }

    /// Fillers and variation selectors count as letters or marks, but are invisible.
    @Test(
        "A name without a visible character is rejected",
        arguments: [
            "\u{3164}", "\u{115F}\u{1160}", "\u{FFA0}", "\u{FE0F}", "\u{034F}", "\u{FE0F}\u{200D}\u{FE0F}",
        ])
    func nameThatShowsNothing(name: String) { #expect(!Member.isValidName(name)) }

    @Test("Names have at most 63 bytes of UTF-8")
    func namesAreAtMost63Bytes() throws {
        #expect(!Member.isValidName(String(repeating: "n", count: 64)))
        #expect(!Member.isValidName(String(repeating: "é", count: 32)))
        let keys = DeviceIdentity().keys
        expectRefusal(.malformed) { try Member(keys: keys, name: String(repeating: "n", count: 64)) }
        #expect(try Member(keys: keys, name: "Laptop").name == "Laptop")
    }
}
