// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Checks that a document is JSON in UTF-8 as RFC 8259 defines it, and finds the place of a fault.
///
/// Objects with duplicate keys are rejected too. Foundation's parsers accept a comma before `}` and
/// `]`, duplicate keys, UTF-16 and byte order marks. On Linux they do not report the line of a
/// fault.
struct JSONGrammar {
    /// The deepest nesting that Foundation's decoder accepts.
    static let maximumDepth = 512

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Checks a document.
    ///
    /// - Parameter document: The bytes.
    /// - Throws: ``UserInfoJSONError`` with the line and the column, both counted from 1.
    static func check(_ document: Data) throws {
        var grammar = JSONGrammar(bytes: Array(document))
        try grammar.checkEncoding()
        try grammar.value()
        if let byte = grammar.next() { throw grammar.fault("\(Self.named(byte)) follows the end of the value") }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func checkEncoding() throws {
        if bytes.starts(with: Self.byteOrderMark) { throw fault("it begins with a byte order mark; save it without") }
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        defer { position = 0 }
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): position += scalar.count
            case .emptyInput: return
            case .error: throw fault("this is not UTF-8")
            }
        }
    }

    /// Skips white space and returns the next byte without reading it, or nil at the end.
    private mutating func next() -> UInt8? {
        while position < bytes.count, Self.whiteSpace.contains(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func value() throws {
        switch next() {
        case UInt8(ascii: "{"): try container(closedBy: UInt8(ascii: "}")) { try $0.pairs() }
        case UInt8(ascii: "["): try container(closedBy: UInt8(ascii: "]")) { try $0.elements() }
        case UInt8(ascii: "\""): _ = try string()
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): try number()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case let other: throw unexpected(other, wanted: "a value")
        }
    }

    private mutating func container(closedBy end: UInt8, _ body: (inout JSONGrammar) throws -> Void) throws {
        depth += 1
        guard depth <= Self.maximumDepth else { throw fault("this is nested deeper than \(Self.maximumDepth)") }
        position += 1
        if next() == end { position += 1 } else { try body(&self) }
        depth -= 1
    }

    private mutating func elements() throws {
        repeat { try value() } while try goesOn(until: UInt8(ascii: "]"))
    }

    private mutating func pairs() throws {
        var keys: Set<String> = []
        repeat {
            guard next() == UInt8(ascii: "\"") else { throw unexpected(next(), wanted: "a key in double quotes") }
            let start = position
            let key = Self.decoded(try string())
            guard keys.insert(key).inserted else { throw fault("the key \"\(key)\" stands here again", at: start) }
            guard next() == UInt8(ascii: ":") else { throw unexpected(next(), wanted: "a colon") }
            position += 1
            try value()
        } while try goesOn(until: UInt8(ascii: "}"))
    }

    /// Reads a comma or the end of a container, and returns whether another element follows.
    private mutating func goesOn(until end: UInt8) throws -> Bool {
        let found = next()
        guard found == UInt8(ascii: ",") || found == end else {
            throw unexpected(found, wanted: "a comma or \(Self.named(end))")
        }
        let start = position
        position += 1
        if found == end { return false }
        if next() == end { throw fault("after this comma nothing follows", at: start) }
        return true
    }

    /// Reads a string and returns its bytes, with the quotes.
    private mutating func string() throws -> ArraySlice<UInt8> {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] >= 0x20 else { throw fault("a control character stands in a string unescaped") }
            if bytes[position] == UInt8(ascii: "\\") {
                try escape()
            } else {
                position += 1
            }
        }
        guard position < bytes.count else { throw fault("this string has no end", at: start) }
        position += 1
        return bytes[start..<position]
    }

    /// Returns a string's text with its escapes decoded. If decoding fails, returns the bytes as
    /// text.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        let decoded = text.contains(UInt8(ascii: "\\")) ? try? JSONDecoder().decode(String.self, from: Data(text)) : nil
        return decoded ?? String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }

    private mutating func escape() throws {
        let start = position
        let kind = start + 1 < bytes.count ? bytes[start + 1] : 0
        let isHexadecimal = kind == UInt8(ascii: "u")
        let length = isHexadecimal ? 6 : 2
        let digits = bytes[min(start + 2, bytes.count)..<min(start + length, bytes.count)]
        let isWhole = digits.count == length - 2 && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        guard isHexadecimal ? isWhole : Self.escapes.contains(kind) else { throw fault("there is no such escape") }
        position += length
    }

    private mutating func number() throws {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        var isWhole = digits() > 0 && (bytes[first] != UInt8(ascii: "0") || position == first + 1)
        if isWhole, read(".") { isWhole = digits() > 0 }
        if isWhole, read("e") || read("E") {
            _ = read("+") || read("-")
            isWhole = digits() > 0
        }
        guard isWhole else { throw fault("this is no number as JSON writes it", at: start) }
    }

    /// Reads digits and returns their number.
    private mutating func digits() -> Int {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position - start
    }

    private mutating func read(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ word: String) throws {
        guard bytes[position...].starts(with: word.utf8) else { throw unexpected(bytes[position], wanted: "a value") }
        position += word.utf8.count
    }

    private func unexpected(_ byte: UInt8?, wanted: String) -> UserInfoJSONError {
        fault(byte.map { "\(Self.named($0)) stands where \(wanted) should" } ?? "it ends where \(wanted) should stand")
    }

    private func fault(_ message: String, at place: Int? = nil) -> UserInfoJSONError {
        let before = bytes[..<(place ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return UserInfoJSONError(path: [], message: "is not JSON: line \(line), column \(column): \(message)")
    }

    private static func named(_ byte: UInt8) -> String {
        byte < 0x80 ? "'\(UnicodeScalar(byte))'" : "a character that is not ASCII"
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    private static let escapes = Array("\"\\/bfnrt".utf8)
}
