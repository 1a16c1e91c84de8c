// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import Diagnosis
import FoundationEssentials
import SwiftProtobuf

/// Encodes and decodes an activity's userInfo without changing any value.
///
/// The bytes encode the message `Dictionary` in `activity.proto`. Equal dictionaries give equal
/// bytes, because pairs and elements of sets are sorted by their bytes. A receiver accepts any
/// order.
public enum UserInfoCoding {
    /// The size in bytes up to which a hand-over is fast everywhere.
    ///
    /// If a userInfo is larger, the app gets a warning (requirement 30).
    public static let advisedSize = 3_072
    /// The maximum size, in bytes.
    public static let maximumSize = UserInfoValue.maximumSize
    /// The maximum number of values in a userInfo, containers included.
    public static let maximumValues = UserInfoValue.maximumCount

    /// Encodes a userInfo. The limits apply to the encoded bytes.
    ///
    /// - Throws: ``WireError``: `userInfoTooLarge`, or `invalidField` for values that are too deep
    ///   or not in canonical form.
    public static func encode(_ userInfo: UserInfo) throws(WireError) -> [UInt8] {
        var encoder = UserInfoEncoder()
        let bytes = try serialized(try encoder.dictionary(userInfo, depth: 0))
        guard bytes.count <= maximumSize else { throw tooLarge("\(bytes.count)") }
        return bytes
    }

    /// Decodes a userInfo.
    ///
    /// - Throws: ``WireError``.
    public static func decode(_ bytes: [UInt8]) throws(WireError) -> UserInfo {
        guard bytes.count <= maximumSize else { throw tooLarge("\(bytes.count)") }
        var options = BinaryDecodingOptions()
        // Each level of containers takes three nested messages. Two more are outside of all levels.
        options.messageDepthLimit = 3 * UserInfoValue.maximumDepth + 8
        let message: WireDictionary
        do {
            message = try WireDictionary(serializedBytes: bytes, options: options)
        } catch {
            throw WireError(.unparsable, "userInfo: \(error)")
        }
        var decoder = UserInfoDecoder()
        return try decoder.dictionary(message, depth: 0)
    }

    static func serialized(_ message: some Message) throws(WireError) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw WireError(.invalidField, "cannot be encoded: \(error)")
        }
    }

    /// Rejects a value that a lookup could not find as a key or as a member of a set.
    static func checkLookup(_ value: UserInfoValue) throws(WireError) {
        if let reason = value.reasonAgainstLookup { throw WireError(about: "userInfo", " " + reason, .argumentNaN) }
    }

    static func tooLarge(_ size: String) -> WireError {
        WireError(
            .userInfoTooLarge, about: "userInfo", " of \(size) bytes; at most \(maximumSize) are allowed",
            .argumentSize,
            ["greatest": .count(maximumSize)])
    }

    static var tooMany: WireError {
        WireError(
            about: "userInfo", " has more than \(maximumValues) values", .argumentCount,
            ["greatest": .count(maximumValues)])
    }

    static var tooDeep: WireError {
        let greatest = UserInfoValue.maximumDepth
        return WireError(
            about: "userInfo", " has more than \(greatest) containers inside each other", .argumentDepth,
            ["greatest": .count(greatest)])
    }
}

/// Converts values to messages, and counts values and bytes, so that a huge userInfo is rejected
/// early.
private struct UserInfoEncoder {
    private var values = 0
    private var bytes = 0

    mutating func dictionary(_ pairs: UserInfo, depth: Int) throws(WireError) -> WireDictionary {
        var encoded: [(order: [UInt8], pair: WirePair)] = []
        for (key, value) in pairs {
            try UserInfoCoding.checkLookup(key)
            var pair = WirePair()
            pair.key = try self.value(key, depth: depth)
            pair.value = try self.value(value, depth: depth)
            encoded.append((try UserInfoCoding.serialized(pair), pair))
        }
        encoded.sort { $0.order.lexicographicallyPrecedes($1.order) }
        var message = WireDictionary()
        message.pairs = encoded.map(\.pair)
        return message
    }

    private mutating func value(_ value: UserInfoValue, depth: Int) throws(WireError) -> WireValue {
        values += 1
        guard values <= UserInfoCoding.maximumValues else { throw UserInfoCoding.tooMany }
        var message = WireValue()
        switch value {
        case .null: message.null = WireNull()
        case .bool(let value): message.bool = value
        case .int(let value): message.int = value
        case .uint(let value):
            guard value > UInt64(Int64.max) else {
                throw WireError(.invalidField, "the integer \(value) is not in its one form")
            }
            message.uint = value
        case .double(let value): message.double = value
        case .string(let value):
            try spend(value.utf8.count)
            try Limit.marks(value, "userInfo")
            message.string = value
        case .data(let value):
            try spend(value.count)
            message.data = value
        case .date(let value): message.date = value.timeIntervalSinceReferenceDate
        case .uuid(let value): message.uuid = withUnsafeBytes(of: value.uuid) { Data($0) }
        case .url(let value):
            message.url = try WireUrl(checking: value)
            try spend(message.url.text.utf8.count + message.url.base.utf8.count)
        case .array(let elements):
            let depth = try deeper(depth)
            // Build the list separately, because a oneof's member is copied at every change in
            // place.
            var list = WireList()
            for element in elements { list.elements.append(try self.value(element, depth: depth)) }
            message.array = list
        case .set(let elements):
            let depth = try deeper(depth)
            var encoded: [(order: [UInt8], element: WireValue)] = []
            for element in elements {
                try UserInfoCoding.checkLookup(element)
                let message = try self.value(element, depth: depth)
                encoded.append((try UserInfoCoding.serialized(message), message))
            }
            encoded.sort { $0.order.lexicographicallyPrecedes($1.order) }
            var list = WireList()
            list.elements = encoded.map(\.element)
            message.set = list
        case .dictionary(let pairs):
            message.dictionary = try dictionary(pairs, depth: try deeper(depth))
        }
        return message
    }

    private func deeper(_ depth: Int) throws(WireError) -> Int {
        guard depth < UserInfoValue.maximumDepth else { throw UserInfoCoding.tooDeep }
        return depth + 1
    }

    private mutating func spend(_ count: Int) throws(WireError) {
        bytes += count
        guard bytes <= UserInfoCoding.maximumSize else { throw UserInfoCoding.tooLarge("\(bytes) or more") }
    }
}

/// Converts messages to values, and rejects values that are not in canonical form.
private struct UserInfoDecoder {
    private var values = 0

    mutating func dictionary(_ message: WireDictionary, depth: Int) throws(WireError) -> UserInfo {
        var pairs: UserInfo = [:]
        for pair in message.pairs {
            let key = try value(pair.key, depth: depth)
            try UserInfoCoding.checkLookup(key)
            guard pairs.updateValue(try value(pair.value, depth: depth), forKey: key) == nil else {
                throw WireError(.invalidField, "a dictionary has a key twice")
            }
        }
        return pairs
    }

    private mutating func value(_ message: WireValue, depth: Int) throws(WireError) -> UserInfoValue {
        values += 1
        guard values <= UserInfoCoding.maximumValues else { throw UserInfoCoding.tooMany }
        switch message.kind {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .uint(let value):
            guard value > UInt64(Int64.max) else {
                throw WireError(.invalidField, "the integer \(value) is not in its one form")
            }
            return .uint(value)
        case .double(let value): return .double(value)
        case .string(let value):
            try Limit.marks(value, "userInfo")
            return .string(value)
        case .data(let value): return .data(value)
        case .date(let value): return .date(Date(timeIntervalSinceReferenceDate: value))
        case .uuid(let value): return .uuid(try uuid(value))
        case .url(let value): return .url(try value.checked())
        case .array(let list):
            let depth = try deeper(depth)
            var elements: [UserInfoValue] = []
            for element in list.elements { elements.append(try value(element, depth: depth)) }
            return .array(elements)
        case .set(let list):
            let depth = try deeper(depth)
            var elements: Set<UserInfoValue> = []
            for element in list.elements {
                let element = try value(element, depth: depth)
                try UserInfoCoding.checkLookup(element)
                guard elements.insert(element).inserted else {
                    throw WireError(.invalidField, "a set has an element twice")
                }
            }
            return .set(elements)
        case .dictionary(let pairs): return .dictionary(try dictionary(pairs, depth: try deeper(depth)))
        case nil: throw WireError(.invalidField, "a value without a kind")
        }
    }

    private func uuid(_ bytes: Data) throws(WireError) -> UUID {
        guard bytes.count == 16 else { throw WireError(.invalidField, "a UUID of \(bytes.count) bytes") }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        return UUID(uuid: uuid)
    }

    private func deeper(_ depth: Int) throws(WireError) -> Int {
        guard depth < UserInfoValue.maximumDepth else { throw UserInfoCoding.tooDeep }
        return depth + 1
    }
}
