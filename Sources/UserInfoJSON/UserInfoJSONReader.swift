// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import FoundationEssentials

/// Converts a JSON document to typed values, and tracks the place in the document for errors.
struct UserInfoJSONReader {
    private var path: [UserInfoJSONError.Step] = []
    /// The number of containers that may still be nested here.
    ///
    /// The userInfo itself is the outermost container.
    private var room = UserInfoValue.maximumDepth + 1

    mutating func value(_ node: JSONNode) throws -> UserInfoValue {
        switch node {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .integer(value)
        case .uint(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let value): .string(try text(value))
        case .array(let nodes): .array(try container { reader in try reader.elements(nodes) })
        case .object(let object):
            if object.count == 1, let (key, content) = object.first, key.hasPrefix("$") {
                try tagged(key, content)
            } else {
                .dictionary(try container { reader in try reader.pairs(object) })
            }
        }
    }

    private mutating func tagged(_ key: String, _ content: JSONNode) throws -> UserInfoValue {
        guard let tag = UserInfoJSON.Tag(rawValue: key) else {
            let known = UserInfoJSON.Tag.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("has the unknown tag \"\(key)\" (known: \(known); for a plain object use \"$object\")")
        }
        return try inside(.key(key)) { reader in
            switch (tag, content) {
            case (.double, _):
                .double(
                    try reader.require(
                        UserInfoJSONNumber.double(content), "a number, \"NaN\", \"inf\", \"-inf\" or \"-0\""))
            case (.data, .string(let text)):
                .data(try reader.require(Data(base64Encoded: text), "base64 (RFC 4648, section 4)"))
            case (.date, _):
                .date(
                    try reader.require(
                        UserInfoJSONDate.date(content),
                        "a date such as \"2026-01-31T12:00:00.5Z\", or seconds since 1970"))
            case (.uuid, .string(let text)): .uuid(try reader.require(UUID(uuidString: text), "a UUID"))
            case (.url, .string(let text)): .url(try reader.require(Self.url(text), "a URL"))
            case (.set, .array(let nodes)): .set(try reader.container { try $0.set(nodes) })
            case (.dictionary, .array(let nodes)): .dictionary(try reader.container { try $0.pairs(nodes) })
            case (.object, .object(let object)): .dictionary(try reader.container { try $0.pairs(object) })
            case (.data, _), (.uuid, _), (.url, _): throw reader.error("is not a string")
            case (.set, _), (.dictionary, _): throw reader.error("is not an array")
            case (.object, _): throw reader.error("is not an object")
            }
        }
    }

    private mutating func elements(_ nodes: [JSONNode]) throws -> [UserInfoValue] {
        try nodes.enumerated().map { index, node in try inside(.index(index)) { try $0.value(node) } }
    }

    private mutating func set(_ nodes: [JSONNode]) throws -> Set<UserInfoValue> {
        let members = try elements(nodes)
        var set: Set<UserInfoValue> = []
        for (index, member) in members.enumerated() {
            try inside(.index(index)) { reader in
                guard set.insert(try reader.forLookup(member)).inserted else {
                    throw reader.error("is in the set twice")
                }
            }
        }
        return set
    }

    private mutating func pairs(_ object: [String: JSONNode]) throws -> UserInfo {
        var pairs: UserInfo = [:]
        // Visit the keys in sorted order, so that a document with several faults always gives the
        // same error.
        for (key, node) in object.sorted(by: { $0.key < $1.key }) {
            pairs[.string(key)] = try inside(.key(key)) { reader in
                _ = try reader.text(key)
                return try reader.value(node)
            }
        }
        return pairs
    }

    private mutating func pairs(_ nodes: [JSONNode]) throws -> UserInfo {
        var pairs: UserInfo = [:]
        for (index, node) in nodes.enumerated() {
            try inside(.index(index)) { reader in
                guard case .array(let pair) = node, pair.count == 2 else { throw reader.error("is not a [key, value]") }
                let key = try reader.inside(.index(0)) { try $0.forLookup(try $0.value(pair[0])) }
                let value = try reader.inside(.index(1)) { try $0.value(pair[1]) }
                guard pairs.updateValue(value, forKey: key) == nil else { throw reader.error("repeats a key") }
            }
        }
        return pairs
    }

    private mutating func inside<T>(
        _ step: UserInfoJSONError.Step, _ body: (inout UserInfoJSONReader) throws -> T
    ) throws -> T {
        path.append(step)
        defer { path.removeLast() }
        return try body(&self)
    }

    private mutating func container<T>(_ body: (inout UserInfoJSONReader) throws -> T) throws -> T {
        guard room > 0 else { throw error("stands deeper than \(UserInfoValue.maximumDepth) containers") }
        room -= 1
        defer { room += 1 }
        return try body(&self)
    }

    /// Returns a value to use as a key or as a member of a set. Throws if a lookup could not find
    /// the value, as for NaN.
    private func forLookup(_ value: UserInfoValue) throws -> UserInfoValue {
        if let reason = value.reasonAgainstLookup { throw error(reason) }
        return value
    }

    private func text(_ text: String) throws -> String {
        guard CombiningMarks.isCheap(text) else {
            throw error("has more than \(CombiningMarks.maximum) combining marks in a row")
        }
        return text
    }

    private func require<T>(_ value: T?, _ what: String) throws -> T {
        guard let value else { throw error("is not \(what)") }
        return value
    }

    private func error(_ message: String) -> UserInfoJSONError { UserInfoJSONError(path: path, message: message) }

    /// Returns a URL if writing it back gives the same text.
    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            return nil
        }
        return url
    }
}
