// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import Diagnosis
internal import FoundationEssentials

/// Reads the values of an activity's userInfo from the bus.
///
/// The reader accepts everything that ``UserInfoWriter`` writes, without loss. It also accepts
/// arrays and dictionaries of other D-Bus types, and integers of other widths. Any program on the
/// bus may have sent the values, so the reader checks their number before it builds them.
struct UserInfoReader {
    /// The number of values that have been read, and the number of bytes of texts and data.
    private var values = 0
    private var bytes = 0

    /// Reads a whole userInfo.
    ///
    /// - Throws: `InvalidArgument` or `UserInfoTooLarge`. The message names the place of the
    ///   refused value.
    static func userInfo(_ value: DBusValue) throws -> UserInfo {
        guard let pairs = pairs(of: value) else {
            throw BatonError.invalid("userInfo", .type("a{sv}"))
        }
        do {
            var reader = UserInfoReader()
            return try reader.dictionary(pairs, depth: 0)
        } catch let refusal as UserInfoRefusal {
            throw BatonError(refusal)
        }
    }

    /// Returns a string, or nil if the value is not a string. Also reads the form that
    /// ``UserInfoWriter/text(_:)`` uses for a string with a NUL.
    static func text(_ value: DBusValue) -> String? {
        if let string = value.stringValue { return string }
        guard let (tag, inner) = tagged(value), tag == "string", let bytes = inner.bytesValue,
            let string = String(validating: bytes, as: UTF8.self), CombiningMarks.isCheap(string)
        else { return nil }
        return string
    }

    private mutating func read(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        try count(1)
        switch value.unwrapped {
        case .bool(let bool): return .bool(bool)
        case .double(let double): return .double(double)
        case .string(let string): return .string(try spending(string))
        case .uint64(let number): return .integer(number)
        case .bytes(let bytes):
            try spend(bytes.count)
            return .data(Data(bytes))
        case .array(_, let elements): return .array(try array(elements, depth: depth))
        case .dictionary: return try dictionary(value, depth: depth)
        case .structure: return try structure(value, depth: depth)
        case let other:
            guard let number = other.integer(as: Int64.self) else {
                throw UserInfoRefusal.meaningless(other.signature)
            }
            return .integer(number)
        }
    }

    private mutating func array(_ elements: [DBusValue], depth: Int) throws -> [UserInfoValue] {
        try checkDepth(depth + 1)
        try checkCount(elements.count)
        var result: [UserInfoValue] = []
        for (index, element) in elements.enumerated() {
            try inside("[\(index)]") { reader in result.append(try reader.read(element, depth: depth + 1)) }
        }
        return result
    }

    private mutating func set(_ elements: [DBusValue], depth: Int) throws -> Set<UserInfoValue> {
        try checkDepth(depth + 1)
        try checkCount(elements.count)
        var result: Set<UserInfoValue> = []
        for (index, element) in elements.enumerated() {
            let member = try inside("{\(index)}") { try Self.forLookup(try $0.read(element, depth: depth + 1)) }
            result.insert(member)
        }
        return result
    }

    private mutating func dictionary(_ pairs: [(DBusValue, DBusValue)], depth: Int) throws -> UserInfo {
        try checkCount(2 * pairs.count)
        var result: UserInfo = [:]
        for (key, entry) in pairs {
            let key = try inside("[a key]") { try Self.forLookup(try $0.read(key, depth: depth)) }
            try inside("[\(UserInfoWriter.name(of: key))]") { reader in
                guard result.updateValue(try reader.read(entry, depth: depth), forKey: key) == nil else {
                    throw UserInfoRefusal.twice
                }
            }
        }
        return result
    }

    private mutating func structure(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        guard let (tag, inner) = Self.tagged(value) else {
            throw UserInfoRefusal.meaningless(value.unwrapped.signature)
        }
        switch tag {
        case "null": if inner.stringValue != nil { return .null }
        case "string": if let string = Self.text(value) { return .string(try spending(string)) }
        case "date": if let date = Self.date(inner) { return .date(date) }
        case "uuid": if let uuid = inner.stringValue.flatMap({ UUID(uuidString: $0) }) { return .uuid(uuid) }
        case "url":
            if let text = Self.text(inner), let url = URL(string: try spending(text), encodingInvalidCharacters: false)
            {
                return .url(url)
            }
        case "set":
            if case .array(_, let elements) = inner { return .set(try set(elements, depth: depth)) }
        case "dictionary": return try dictionary(value, depth: depth)
        case "flat":
            if case .array("v", let tokens) = inner {
                // Do not count the structure around the flat form, because only the value inside
                // comes from the app.
                values -= 1
                return try flat(tokens, depth: depth)
            }
        default: throw UserInfoRefusal.meaningless(tag)
        }
        throw UserInfoRefusal.meaningless(tag)
    }

    private mutating func dictionary(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        try checkDepth(depth + 1)
        guard let pairs = Self.pairs(of: value) else { throw UserInfoRefusal.meaningless("dictionary") }
        return .dictionary(try dictionary(pairs, depth: depth + 1))
    }
}

/// The flat form of values.
extension UserInfoReader {
    private mutating func flat(_ tokens: [DBusValue], depth: Int) throws -> UserInfoValue {
        try checkCount(tokens.count)
        var rest = tokens[...]
        let value = try next(&rest, depth: depth)
        guard rest.isEmpty else { throw UserInfoRefusal.cut }
        return value
    }

    private mutating func next(_ tokens: inout ArraySlice<DBusValue>, depth: Int) throws -> UserInfoValue {
        guard let token = tokens.popFirst()?.unwrapped else { throw UserInfoRefusal.cut }
        guard case .structure(let members) = token, token.signature == "(su)", let kind = members[0].stringValue,
            let count = members[1].integer(as: Int.self)
        else { return try read(token, depth: depth) }
        try self.count(1)
        try checkDepth(depth + 1)
        // Every value needs a token. Compare the numbers before reading, so that a false count does
        // no harm.
        guard (kind == "dictionary" ? count * 2 : count) <= tokens.count else {
            throw UserInfoRefusal.cut
        }
        switch kind {
        case "array":
            var elements: [UserInfoValue] = []
            for index in 0..<count {
                try inside("[\(index)]") { elements.append(try $0.next(&tokens, depth: depth + 1)) }
            }
            return .array(elements)
        case "set":
            var elements: Set<UserInfoValue> = []
            for index in 0..<count {
                let member = try inside("{\(index)}") { try Self.forLookup(try $0.next(&tokens, depth: depth + 1)) }
                elements.insert(member)
            }
            return .set(elements)
        case "dictionary": return .dictionary(try flatDictionary(count, &tokens, depth: depth + 1))
        default: throw UserInfoRefusal.meaningless(kind)
        }
    }

    private mutating func flatDictionary(
        _ count: Int, _ tokens: inout ArraySlice<DBusValue>, depth: Int
    ) throws -> UserInfo {
        var result: UserInfo = [:]
        for _ in 0..<count {
            let key = try inside("[a key]") { try Self.forLookup(try $0.next(&tokens, depth: depth)) }
            try inside("[\(UserInfoWriter.name(of: key))]") { reader in
                guard result.updateValue(try reader.next(&tokens, depth: depth), forKey: key) == nil else {
                    throw UserInfoRefusal.twice
                }
            }
        }
        return result
    }
}

/// The refusal of invalid and excessive values.
extension UserInfoReader {
    private static func forLookup(_ value: UserInfoValue) throws -> UserInfoValue {
        if value.reasonAgainstLookup != nil { throw UserInfoRefusal(failure: .argumentNaN) }
        return value
    }

    private func checkDepth(_ depth: Int) throws {
        guard depth <= UserInfoValue.maximumDepth else { throw UserInfoRefusal.nested }
    }

    /// Throws if there would be too many values. Called for a container before its first element is
    /// read.
    private func checkCount(_ more: Int) throws {
        let limit = UserInfoValue.maximumCount
        guard values + more <= limit else {
            throw UserInfoRefusal(
                failure: .argumentCount, values: ["greatest": .count(limit)], isOfAll: more <= limit)
        }
    }

    private mutating func count(_ more: Int) throws {
        try checkCount(more)
        values += more
    }

    private mutating func spend(_ more: Int) throws {
        bytes += more
        let limit = UserInfoValue.maximumSize
        guard bytes <= limit else {
            throw UserInfoRefusal(
                failure: .argumentSize, values: ["greatest": .count(limit)], isTooLarge: true,
                isOfAll: more <= limit)
        }
    }

    private mutating func spending(_ text: String) throws -> String {
        try spend(text.utf8.count)
        return text
    }

    /// Runs `body`. If `body` throws, adds the step to the place that the error names.
    private mutating func inside<Result>(
        _ step: @autoclosure () -> String, _ body: (inout UserInfoReader) throws -> Result
    ) throws -> Result {
        do {
            return try body(&self)
        } catch var refusal as UserInfoRefusal where !refusal.isOfAll {
            refusal.place = step() + refusal.place
            throw refusal
        }
    }
}

/// The forms of values.
extension UserInfoReader {
    /// Reads Unix seconds, as one number or as whole seconds and a fraction.
    private static func date(_ value: DBusValue) -> Date? {
        let shift = Date.timeIntervalBetween1970AndReferenceDate
        if let seconds = value.doubleValue ?? value.integer(as: Int64.self).map(Double.init) {
            return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
        }
        guard let parts = value.structureValue, parts.count == 2, let whole = parts[0].doubleValue,
            let fraction = parts[1].doubleValue, whole.isFinite, fraction.isFinite
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: (whole - shift) + fraction)
    }

    private static func tagged(_ value: DBusValue) -> (String, DBusValue)? {
        guard let members = value.structureValue, members.count == 2, case .string(let tag) = members[0] else {
            return nil
        }
        return (tag, members[1].unwrapped)
    }

    private static func pairs(of value: DBusValue) -> [(DBusValue, DBusValue)]? {
        if let entries = value.entriesValue { return entries.map { ($0.key, $0.value) } }
        guard let (tag, inner) = tagged(value), tag == "dictionary", let structures = inner.arrayValue else {
            return nil
        }
        let pairs = structures.compactMap { structure -> (DBusValue, DBusValue)? in
            guard let members = structure.structureValue, members.count == 2 else { return nil }
            return (members[0], members[1])
        }
        return pairs.count == structures.count ? pairs : nil
    }
}
