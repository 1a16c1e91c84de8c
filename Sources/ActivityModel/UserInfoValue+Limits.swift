// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Limits that are checked before values become keys or members of sets.
///
/// The limits keep lookups cheap, even with values from another device.
extension UserInfoValue {
    /// The maximum number of values in a userInfo, containers included.
    public static let maximumCount = 16_384
    /// The maximum size of a userInfo encoded for the wire, in bytes.
    public static let maximumSize = 65_536
    /// The maximum depth of nested containers in one key or value, not counting the userInfo
    /// itself.
    ///
    /// Deeper values are rejected, wherever they come from.
    public static let maximumDepth = 32

    /// Whether the value is NaN or a date of NaN, or contains one.
    ///
    /// Such a value does not equal itself. A set can hold any number of such values, and each one
    /// makes the set slower.
    public var holdsNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        case .array(let elements): elements.contains(where: \.holdsNaN)
        case .set(let elements): elements.contains(where: \.holdsNaN)
        case .dictionary(let pairs): pairs.contains { $0.key.holdsNaN || $0.value.holdsNaN }
        default: false
        }
    }

    /// The reason why the value cannot be a key or a member of a set, as part of an error. The text
    /// is nil if the value can be a key or a member.
    package var reasonAgainstLookup: String? {
        holdsNaN
            ? "has a NaN, which cannot be a member of a set or a key, nor stand inside one: it is unequal to itself"
            : nil
    }

    /// A short name of a key for errors.
    ///
    /// Errors do not contain the key's `description`, because `Date.description` traps for NaN, and
    /// other descriptions can have any length.
    package var name: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): String(text.unicodeScalars.prefix(100))
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): String(url.absoluteString.unicodeScalars.prefix(100))
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .set: "a set"
        case .dictionary: "a dictionary"
        }
    }

    /// The path of the first key or set member inside the value that lookups cannot find, and the
    /// reason. The result is nil if lookups find all keys and members.
    var faultyLookup: (path: String, reason: String)? {
        switch self {
        case .array(let elements):
            elements.enumerated().lazy.compactMap { index, element in
                element.faultyLookup.map { ("[\(index)]" + $0.path, $0.reason) }
            }.first
        case .set(let elements):
            elements.lazy.compactMap { element in element.reasonAgainstLookup.map { ("{}", $0) } }.first
        case .dictionary(let pairs): Self.faultyLookup(in: pairs)
        default: nil
        }
    }

    static func faultyLookup(in pairs: UserInfo) -> (path: String, reason: String)? {
        for (key, value) in pairs {
            if let reason = key.reasonAgainstLookup { return ("[\(key.name)]", reason) }
            if let fault = value.faultyLookup { return ("[\(key.name)]" + fault.path, fault.reason) }
        }
        return nil
    }
}
