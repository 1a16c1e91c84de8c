// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Foundation
internal import UserActivity

/// How a value of an activity's userInfo is read from the bus. What ``UserInfoWriter`` writes is read without loss;
/// arrays and dictionaries of other types and integers of other widths are understood as well.
enum UserInfoReader {
    /// A whole userInfo; throws `InvalidArgument` with the key that cannot be kept.
    static func userInfo(_ value: DBusValue) throws -> UserInfo {
        var result: UserInfo = [:]
        guard let pairs = pairs(of: value) else {
            throw BatonBusError(.invalidArgument, "userInfo: expected a{sv} or (\"dictionary\", a(vv))")
        }
        for (keyValue, entry) in pairs {
            var name = "a key"
            do {
                let key = try read(keyValue, depth: 0)
                name = UserInfoWriter.name(of: key)
                guard result.updateValue(try read(entry, depth: 0), forKey: key) == nil else {
                    throw UserInfoRefusal(reason: "the key is there twice")
                }
            } catch let refusal as UserInfoRefusal {
                throw BatonBusError(.invalidArgument, "userInfo[\(name)]: \(refusal.reason)")
            }
        }
        return result
    }

    /// A string, also as ``UserInfoWriter/text(_:)`` writes one with a NUL.
    static func text(_ value: DBusValue) -> String? {
        if let string = value.stringValue { return string }
        guard let (tag, inner) = tagged(value), tag == "string", let bytes = inner.bytesValue else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func read(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        switch value.unwrapped {
        case .bool(let bool): return .bool(bool)
        case .double(let double): return .double(double)
        case .string(let string): return .string(string)
        case .uint64(let number): return .integer(number)
        case .array("y", _): return .data(Data(value.bytesValue ?? []))
        case .array(_, let elements): return .array(try read(elements, depth: depth))
        case .dictionary: return try dictionary(value, depth: depth)
        case .structure: return try structure(value, depth: depth)
        case let other:
            guard let number = other.integer(as: Int64.self) else {
                throw UserInfoRefusal(reason: "the type '\(other.signature)' is not one of userInfo's")
            }
            return .integer(number)
        }
    }

    private static func read(_ elements: [DBusValue], depth: Int) throws -> [UserInfoValue] {
        try checkDepth(depth + 1)
        return try elements.map { try read($0, depth: depth + 1) }
    }

    private static func checkDepth(_ depth: Int) throws {
        guard depth <= UserInfoValue.maximumDepth else {
            throw UserInfoRefusal(reason: "more than \(UserInfoValue.maximumDepth) levels deep")
        }
    }

    private static func structure(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        guard let (tag, inner) = tagged(value) else {
            throw UserInfoRefusal(reason: "the structure '\(value.unwrapped.signature)' has no meaning")
        }
        switch tag {
        case "null": return .null
        case "string": if let string = text(value) { return .string(string) }
        case "date": if let date = date(inner) { return .date(date) }
        case "uuid": if let uuid = inner.stringValue.flatMap({ UUID(uuidString: $0) }) { return .uuid(uuid) }
        case "url":
            if let url = text(inner).flatMap({ URL(string: $0, encodingInvalidCharacters: false) }) { return .url(url) }
        case "set":
            if case .array(let element, let elements) = inner, element != "y" {
                return .set(Set(try read(elements, depth: depth)))
            }
        case "dictionary": return try dictionary(value, depth: depth)
        case "flat":
            if case .array("v", let tokens) = inner { return try flat(tokens, depth: depth) }
        default: throw UserInfoRefusal(reason: "unknown tag \"\(tag.prefix(100))\"")
        }
        throw UserInfoRefusal(reason: "not a valid \"\(tag)\"")
    }

    /// Unix seconds, as one number or as whole seconds and a fraction.
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

    private static func dictionary(_ value: DBusValue, depth: Int) throws -> UserInfoValue {
        try checkDepth(depth + 1)
        guard let pairs = pairs(of: value) else { throw UserInfoRefusal(reason: "not a valid \"dictionary\"") }
        var result: UserInfo = [:]
        for (key, entry) in pairs {
            let key = try read(key, depth: depth + 1)
            guard result.updateValue(try read(entry, depth: depth + 1), forKey: key) == nil else {
                throw UserInfoRefusal(reason: "the key \(UserInfoWriter.name(of: key)) is there twice")
            }
        }
        return .dictionary(result)
    }

    private static func flat(_ tokens: [DBusValue], depth: Int) throws -> UserInfoValue {
        var rest = tokens[...]
        let value = try next(&rest, depth: depth)
        guard rest.isEmpty else { throw UserInfoRefusal(reason: "the flat form has more than one value") }
        return value
    }

    private static func next(_ tokens: inout ArraySlice<DBusValue>, depth: Int) throws -> UserInfoValue {
        guard let token = tokens.popFirst()?.unwrapped else {
            throw UserInfoRefusal(reason: "the flat form ends too early")
        }
        guard case .structure(let members) = token, token.signature == "(su)", let kind = members[0].stringValue,
            let count = members[1].integer(as: Int.self)
        else { return try read(token, depth: depth) }
        try checkDepth(depth + 1)
        let values = kind == "dictionary" ? count * 2 : count
        // Every value takes a token, so that a count cannot ask for more than is there.
        guard values <= tokens.count else { throw UserInfoRefusal(reason: "the flat form ends too early") }
        var elements: [UserInfoValue] = []
        for _ in 0..<values { elements.append(try next(&tokens, depth: depth + 1)) }
        switch kind {
        case "array": return .array(elements)
        case "set": return .set(Set(elements))
        case "dictionary":
            var result: UserInfo = [:]
            for index in stride(from: 0, to: values, by: 2) {
                guard result.updateValue(elements[index + 1], forKey: elements[index]) == nil else {
                    throw UserInfoRefusal(reason: "a key of the flat form is there twice")
                }
            }
            return .dictionary(result)
        default: throw UserInfoRefusal(reason: "unknown container \"\(kind.prefix(100))\"")
        }
    }
}
