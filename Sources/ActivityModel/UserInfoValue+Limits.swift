// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What is asked of values before sets and dictionaries are made of them: with these rules to look
/// one up costs little, whoever wrote it.
extension UserInfoValue {
    /// How many values, containers among them, a userInfo has at most.
    public static let maximumCount = 16_384
    /// How many bytes a userInfo has at most, once encoded for the wire.
    public static let maximumSize = 65_536
    /// How many containers may stand inside each other in one key or value; the userInfo itself is
    /// not counted. What is deeper is refused, wherever it comes from.
    public static let maximumDepth = 32

    /// Whether it is a number or a date that is not a number, or has one inside.
    ///
    /// Such a value is unequal to itself: a set can hold any number of them, and takes longer for
    /// each.
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

    /// Why a value cannot be a member of a set or a key, as an error says it; nil for one that can.
    package var reasonAgainstLookup: String? {
        holdsNaN
            ? "has a NaN, which cannot be a member of a set or a key, nor stand inside one: it is unequal to itself"
            : nil
    }

    /// How an error names a key, in a few words. Not by its description: Foundation's traps for a
    /// date that is not a number, and others have no end.
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

    /// What of a value could not be looked up in a set or a dictionary, as a path inside of it and
    /// a reason; nil for what travels.
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
