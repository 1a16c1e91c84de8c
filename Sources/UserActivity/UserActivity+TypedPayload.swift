// SPDX-License-Identifier: Apache-2.0

import Foundation

extension UserActivity {
    /// The reasons why a typed payload cannot be read or written.
    ///
    /// The cases and their meaning are the same as in Foundation's
    /// `NSUserActivity.TypedPayloadError`.
    public enum TypedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// ``UserActivity/userInfo`` lacks an entry of the payload, or has an entry of another
        /// type.
        case invalidContent
        /// The value cannot be encoded to a dictionary with strings for keys.
        case encodingError

        /// A description in one line, for people.
        public var description: String {
            switch self {
            case .invalidContent: "userInfo lacks an entry of the payload, or has one of another type"
            case .encodingError:
                "the payload does not encode to a dictionary: use a struct, or a dictionary with strings for keys"
            }
        }
    }

    /// Adds a value's properties to ``userInfo``, under their coding keys.
    ///
    /// Dates and data keep their types. A property of type URL or UUID becomes the value that its
    /// `Codable` implementation encodes. The other side can read the entries as a payload or one by
    /// one, in any version of the app.
    ///
    /// - Parameter payload: A value that encodes to a dictionary, as a struct does.
    /// - Throws: ``UserActivity/TypedPayloadError/encodingError``, or ``UserActivityError`` for a
    ///   payload that is too large or nested too deeply.
    public func setTypedPayload<Payload: Codable>(_ payload: Payload) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(payload),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let dictionary = list as? [String: Any]
        else { throw TypedPayloadError.encodingError }
        try addUserInfoEntries(validated: dictionary)
    }

    /// Reads a value from ``userInfo``, and ignores entries that the type does not know.
    ///
    /// - Parameter type: The value's type.
    /// - Returns: The value.
    /// - Throws: ``UserActivity/TypedPayloadError/invalidContent`` if an entry is missing or of
    ///   another type.
    public func typedPayload<Payload: Codable>(_ type: Payload.Type) throws -> Payload {
        var dictionary: [String: Any] = [:]
        for (key, value) in currentState.userInfo {
            guard case .string(let name) = key, value.isPropertyList else { continue }
            dictionary[name] = value.foundationValue
        }
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
            return try PropertyListDecoder().decode(type, from: data)
        } catch {
            throw TypedPayloadError.invalidContent
        }
    }
}

extension UserInfoValue {
    /// Whether a property list can contain this value.
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
