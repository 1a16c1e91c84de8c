// SPDX-License-Identifier: Apache-2.0

import Foundation

extension UserActivity {
    /// Why a typed payload cannot be had.
    public struct TypedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, in a sentence.
        public let description: String
    }

    /// Adds a value's properties to ``userInfo``, under their coding keys.
    ///
    /// Dates and data stay what they are; a property of type URL or UUID becomes what its own coding makes of it. The other
    /// side may read them as a payload or one by one, whatever its version.
    ///
    /// - Parameter payload: A value that encodes to a dictionary, as a struct does.
    /// - Throws: ``UserActivity/TypedPayloadError`` for a value that encodes to something else, ``UserActivityError``, or what encoding throws.
    public func setTypedPayload<Payload: Codable>(_ payload: Payload) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let data = try encoder.encode(payload)
        guard
            let dictionary = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { throw TypedPayloadError(description: "\(Payload.self) does not encode to a dictionary") }
        try addUserInfoEntries(validated: dictionary)
    }

    /// Reads a value from ``userInfo``; entries that it does not know are passed over.
    ///
    /// - Parameter type: The value's type.
    /// - Returns: The value.
    /// - Throws: `DecodingError` when an entry is missing or of another type.
    public func typedPayload<Payload: Codable>(_ type: Payload.Type) throws -> Payload {
        var dictionary: [String: Any] = [:]
        for (key, value) in currentState.userInfo {
            guard case .string(let name) = key, value.isPropertyList else { continue }
            dictionary[name] = value.foundationValue
        }
        let data = try PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
        return try PropertyListDecoder().decode(type, from: data)
    }
}

extension UserInfoValue {
    /// Whether a property list can hold it.
    fileprivate var isPropertyList: Bool {
        switch self {
        case .bool, .int, .uint, .double, .string, .data, .date: true
        case .null, .uuid, .url, .set: false
        case .array(let elements): elements.allSatisfy(\.isPropertyList)
        case .dictionary(let pairs):
            pairs.allSatisfy { key, value in
                guard case .string = key else { return false }
                return value.isPropertyList
            }
        }
    }
}
